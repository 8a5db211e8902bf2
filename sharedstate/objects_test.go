package sharedstate

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// listed are the classes in the list that a control block leads to.
func listed(address uint64) (classes []string) {
	at := *(*unsafe.Pointer)(unsafe.Pointer(&address)) // an allocation of classList's
	for {
		n := 0
		for *(*byte)(unsafe.Add(at, n)) != 0 {
			n++
		}
		if n == 0 {
			return classes
		}
		classes = append(classes, strings.Clone(unsafe.String((*byte)(at), n)))
		at = unsafe.Add(at, n+1)
	}
}

func TestClassListsStayWhereTheyAre(t *testing.T) {
	o := DefaultOptions()
	s, err := NewStore()
	require.NoError(t, err)
	table, err := s.Define("a", o)
	require.NoError(t, err)
	require.Zero(t, table.control.objects.Load(), "every class")

	o.ObjectClasses = []string{`\App\Price`, "stdClass"}
	require.NoError(t, table.Reconfigure(o))
	first := table.control.objects.Load()
	require.Equal(t, []string{`App\Price`, "stdClass"}, listed(first))

	o.ObjectClasses = []string{"Other"}
	require.NoError(t, table.Reconfigure(o))
	require.Equal(t, []string{"Other"}, listed(table.control.objects.Load()))
	require.Equal(t, []string{`App\Price`, "stdClass"}, listed(first), "C may be reading it")

	o.ObjectClasses = []string{`App\Price`, "stdClass"}
	require.NoError(t, table.Reconfigure(o))
	require.Equal(t, first, table.control.objects.Load(), "the same list again is no new one")

	o.Objects, o.ObjectClasses = ObjectsDeny, nil
	require.NoError(t, table.Reconfigure(o))
	require.NotZero(t, table.control.objects.Load())
	require.Empty(t, listed(table.control.objects.Load()))
}

func TestClassNames(t *testing.T) {
	for _, good := range []string{"A", `\A`, `App\Models\User_2`, "Größe", "_", strings.Repeat("x", 255)} {
		require.NoError(t, ValidateClasses(ObjectsSerialize, []string{good}), good)
	}
	for _, bad := range []string{"", `\`, `\\A`, `A\`, `A\\B`, "2A", `A\2B`, "A B", "A*", "class@anonymous", "A\x00", strings.Repeat("x", 256)} {
		require.ErrorContains(t, ValidateClasses(ObjectsSerialize, []string{bad}), "no name of a PHP class", bad)
	}
	require.ErrorContains(t, ValidateClasses(ObjectsSerialize, make([]string, 1025)), "1025 classes, the limit is 1024")
	require.NoError(t, ValidateClasses(ObjectsSerialize, []string{"É", "é"}), "PHP folds the case of ASCII alone")
	require.ErrorContains(t, ValidateClasses(ObjectsSerialize, []string{"Price", `\pRICE`}), `duplicate class "\\pRICE"`)
}

func TestWiderObjects(t *testing.T) {
	all, deny := Options{}, Options{Objects: ObjectsDeny}
	a, b := Options{ObjectClasses: []string{"A", "B"}}, Options{ObjectClasses: []string{`\b`, "C"}}
	for _, c := range []struct {
		x, y    Options
		policy  ObjectPolicy
		classes []string
	}{
		{all, deny, ObjectsSerialize, nil},
		{all, a, ObjectsSerialize, nil},
		{deny, deny, ObjectsDeny, nil},
		{deny, a, ObjectsSerialize, []string{"A", "B"}},
		{a, b, ObjectsSerialize, []string{"A", "B", "C"}},
	} {
		policy, classes := WiderObjects(c.x, c.y)
		require.Equal(t, c.policy, policy)
		require.Equal(t, c.classes, classes)
		policy, classes = WiderObjects(c.y, c.x)
		require.Equal(t, c.policy, policy)
		require.Len(t, classes, len(c.classes))
	}
}
