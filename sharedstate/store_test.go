package sharedstate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOpenMakesTablesUnlessStrict(t *testing.T) {
	s, err := NewStore()
	require.NoError(t, err)
	_, err = s.Open("shop")
	require.ErrorIs(t, err, ErrUnknownTable, "without a default table there are no settings for others")

	o := DefaultOptions()
	o.Memory, o.MaxValue = MinMemory, 1234
	_, err = s.Define(DefaultTable, o)
	require.NoError(t, err)
	shop, err := s.Open("shop")
	require.NoError(t, err)
	require.Equal(t, o, shop.Options())
	again, err := s.Open("shop")
	require.NoError(t, err)
	require.Same(t, shop, again)

	for _, bad := range []string{"", "a b", strings.Repeat("x", 64), "ä"} {
		_, err = s.Open(bad)
		require.ErrorIs(t, err, ErrUnknownTable)
	}
	s.SetStrict(true)
	_, err = s.Open("other")
	require.ErrorIs(t, err, ErrUnknownTable)
	require.ErrorContains(t, err, `"other"`)
	require.ErrorContains(t, err, `"default" "shop"`)
	s.SetStrict(false)
	for i := 1; i < MaxOpened; i++ {
		_, err = s.Open(fmt.Sprint("t", i))
		require.NoError(t, err)
	}
	_, err = s.Open("one-too-many")
	require.ErrorIs(t, err, ErrUnknownTable)
	require.ErrorContains(t, err, "64")
	require.Len(t, s.Tables(), MaxOpened+1)
	require.NoError(t, s.Drop("t1"))
	_, err = s.Open("one-for-one")
	require.NoError(t, err)
}
