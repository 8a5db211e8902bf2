// Command genlayout writes the C header with every constant of sharedstate's layout.go, status.go and bridge.go.
package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"log"
	"os"
	"strings"
	"unicode"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: genlayout HEADER")
	}
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range []string{"layout.go", "status.go", "bridge.go"} {
		f, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			log.Fatal(err)
		}
		files = append(files, f)
	}
	// Only constants are wanted; the package's other parts and imports may stay unresolved.
	conf := types.Config{Error: func(error) {}}
	pkg, _ := conf.Check("sharedstate", set, files, nil)

	var out bytes.Buffer
	out.WriteString("/* Generated from sharedstate/layout.go, status.go and bridge.go by `go generate`; do not edit. */\n")
	out.WriteString("#ifndef FRANKENSHARE_LAYOUT_H\n#define FRANKENSHARE_LAYOUT_H\n")
	for _, f := range files {
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.CONST {
				continue
			}
			out.WriteByte('\n')
			for _, spec := range g.Specs {
				for _, id := range spec.(*ast.ValueSpec).Names {
					c, ok := pkg.Scope().Lookup(id.Name).(*types.Const)
					if !ok {
						log.Fatalf("%s has no value", id.Name)
					}
					fmt.Fprintf(&out, "#define FS_%s %s\n", snake(id.Name), c.Val().ExactString())
				}
			}
		}
	}
	out.WriteString("\n#endif\n")
	if err := os.WriteFile(os.Args[1], out.Bytes(), 0o644); err != nil {
		log.Fatal(err)
	}
}

// snake turns RowValueLen into ROW_VALUE_LEN and ControlID into CONTROL_ID.
func snake(name string) string {
	var b strings.Builder
	r := []rune(name)
	for i, c := range r {
		if i > 0 && unicode.IsUpper(c) && (!unicode.IsUpper(r[i-1]) || i+1 < len(r) && unicode.IsLower(r[i+1])) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToUpper(c))
	}
	return b.String()
}
