package sharedstate

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unsafe"
)

// ObjectPolicy says whether PHP objects may be stored in a table.
type ObjectPolicy uint32

// The object policies.
const (
	ObjectsSerialize ObjectPolicy = iota
	ObjectsDeny
)

// The limits on Options.ObjectClasses.
const (
	MaxObjectClasses   = 1024
	MaxObjectClassName = 255
)

// ValidateClasses says what is wrong with a list of classes.
func ValidateClasses(policy ObjectPolicy, classes []string) error {
	if policy == ObjectsDeny && len(classes) > 0 {
		return fmt.Errorf("objects deny takes no classes, but has %q", classes[0])
	}
	if len(classes) > MaxObjectClasses {
		return fmt.Errorf("objects has %d classes, the limit is %d", len(classes), MaxObjectClasses)
	}
	var errs []error
	seen := make(map[string]bool, len(classes))
	for _, class := range classes {
		name := foldClass(class)
		switch {
		case !isClassName(name):
			errs = append(errs, fmt.Errorf(`objects: %q is no name of a PHP class, such as App\Price, of at most %d bytes`, class, MaxObjectClassName))
		case seen[name]:
			errs = append(errs, fmt.Errorf("objects: duplicate class %q", class))
		}
		seen[name] = true
	}
	return errors.Join(errs...)
}

// foldClass brings the spellings of one class together as PHP does, which folds the case of ASCII letters alone.
func foldClass(class string) string {
	name := []byte(strings.TrimPrefix(class, `\`))
	for i, c := range name {
		if c >= 'A' && c <= 'Z' {
			name[i] = c + 'a' - 'A'
		}
	}
	return string(name)
}

func isClassName(name string) bool {
	if len(name) > MaxObjectClassName {
		return false
	}
	for part := range strings.SplitSeq(name, `\`) {
		if part == "" || part[0] >= '0' && part[0] <= '9' {
			return false
		}
		for _, c := range []byte(part) {
			if c != '_' && c < 0x80 && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') {
				return false
			}
		}
	}
	return true
}

// WiderObjects answers the policy and the classes that allow what either of two tables' options allows.
func WiderObjects(a, b Options) (ObjectPolicy, []string) {
	switch {
	case a.Objects == ObjectsDeny:
		return b.Objects, b.ObjectClasses
	case b.Objects == ObjectsDeny:
		return a.Objects, a.ObjectClasses
	case len(a.ObjectClasses) == 0 || len(b.ObjectClasses) == 0:
		return ObjectsSerialize, nil
	}
	all := slices.Clone(a.ObjectClasses)
	for _, class := range b.ObjectClasses {
		if !slices.ContainsFunc(all, func(c string) bool { return foldClass(c) == foldClass(class) }) {
			all = append(all, class)
		}
	}
	return ObjectsSerialize, all
}

// classLists are the lists that control blocks lead to, by their bytes. A list never changes and is never freed, since C goes on
// using one while it runs PHP code, which may take any time: each is made once, so that reloads that come back to it cost nothing.
var classLists = struct {
	sync.Mutex
	made map[string][]byte
}{made: make(map[string][]byte)}

// classList is what a control block has for o: 0 when every class may be stored, else the address of the names that may, each
// with a zero byte behind it, and a zero byte at the end. Where objects are denied the list is empty.
func classList(o Options) (uint64, error) {
	if o.Objects == ObjectsSerialize && len(o.ObjectClasses) == 0 {
		return 0, nil
	}
	var text strings.Builder
	for _, class := range o.ObjectClasses {
		text.WriteString(strings.TrimPrefix(class, `\`))
		text.WriteByte(0)
	}
	text.WriteByte(0)
	classLists.Lock()
	defer classLists.Unlock()
	list, ok := classLists.made[text.String()]
	if !ok {
		var err error
		if list, err = allocate(int64(text.Len())); err != nil {
			return 0, err
		}
		copy(list, text.String())
		classLists.made[text.String()] = list
	}
	return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(list)))), nil // a mapping, or held by classLists: it does not move
}
