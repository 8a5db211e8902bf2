package sharedstate

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestValueAccessors(t *testing.T) {
	require.True(t, Null().IsNull())
	require.True(t, Value{}.IsNull())
	require.Equal(t, KindNull, Value{}.Kind())

	b, ok := Bool(true).Bool()
	require.True(t, b && ok)
	b, ok = Bool(false).Bool()
	require.True(t, !b && ok)
	_, ok = Int(1).Bool()
	require.False(t, ok)

	n, ok := Int(math.MinInt64).Int()
	require.True(t, ok)
	require.Equal(t, int64(math.MinInt64), n)
	_, ok = Float(1).Int()
	require.False(t, ok)

	f, ok := Float(math.Copysign(0, -1)).Float()
	require.True(t, ok && math.Signbit(f))
	_, ok = Int(1).Float()
	require.False(t, ok)

	s, ok := Bytes([]byte("\x00\xff")).Str()
	require.True(t, ok)
	require.Equal(t, "\x00\xff", s)
	s, ok = Raw(KindText, 0, 0, "from afar").Str()
	require.True(t, ok)
	require.Equal(t, "from afar", s)
	_, ok = list().Str()
	require.False(t, ok)

	e, ok := EnumCase(Enum{"Suit", "Hearts"}).Enum()
	require.True(t, ok)
	require.Equal(t, Enum{"Suit", "Hearts"}, e)
	_, ok = String("Suit::Hearts").Enum()
	require.False(t, ok)

	_, err := Int(1).Pairs()
	require.ErrorIs(t, err, ErrInvalidValue)
}

func TestRawPartsGiveTheValueBack(t *testing.T) {
	for _, v := range vectors(t) {
		require.Equal(t, v.value, Raw(v.value.RawParts()), v.php)
	}
}

func TestEqual(t *testing.T) {
	values := vectors(t)
	for i, a := range values {
		for j, b := range values {
			same := i == j || a.value.String() == b.value.String() && a.value.Kind() == b.value.Kind()
			require.Equal(t, same, a.value.Equal(b.value), "%s and %s", a.php, b.php)
		}
	}
	quiet, other := math.NaN(), math.Float64frombits(0xfff8000000000001)
	require.True(t, Float(quiet).Equal(Float(other)))
	require.True(t, list(list(Float(quiet))).Equal(list(list(Float(other)))))
	require.False(t, list(list(Float(quiet))).Equal(list(list(Float(1)))))
	require.False(t, Float(quiet).Equal(Float(1)))
	require.False(t, Float(0).Equal(Float(math.Copysign(0, -1))))
	require.False(t, Int(1).Equal(Float(1)))
	require.True(t, String("a").Equal(Raw(KindText, 0, 0, "a")))
	require.True(t, Value{}.Equal(Null()))
	require.False(t, dict(named("a", Int(1)), named("b", Int(2))).Equal(dict(named("b", Int(2)), named("a", Int(1)))))
}

func TestKeys(t *testing.T) {
	for _, s := range []string{"0", "7", "-1", "123", "9223372036854775807", "-9223372036854775808"} {
		n, ok := StringKey(s).Int()
		require.True(t, ok, s)
		require.Equal(t, s, fmt.Sprint(n))
		require.Equal(t, IntKey(n), StringKey(s))
	}
	for _, s := range []string{"", "-0", "0123", "+1", "1.0", "1e3", " 1", "1 ", "9223372036854775808", "-9223372036854775809", "-", "x"} {
		_, ok := StringKey(s).Int()
		require.False(t, ok, s)
		require.Equal(t, s, StringKey(s).String())
	}
}

func TestMapFollowsPHPArrays(t *testing.T) {
	v := dict(named("a", Int(1)), named("5", Int(2)), named("a", Int(3)), numbered(5, Int(4)))
	pairs, err := v.Pairs()
	require.NoError(t, err)
	require.Equal(t, []Pair{named("a", Int(3)), numbered(5, Int(4))}, pairs)
	require.Equal(t, list(Int(1), Int(2)), dict(numbered(0, Int(1)), numbered(1, Int(2))))
	require.Equal(t, list(), dict())
}

func TestFlagsOfArrays(t *testing.T) {
	hearts := EnumCase(Enum{"Suit", "Hearts"})
	_, flags, _, _ := list(list(Int(1)), list(hearts)).RawParts()
	require.Equal(t, uint8(FlagRunsCode), flags)
	pairs, err := list(list(Int(1)), list(hearts)).Pairs()
	require.NoError(t, err)
	require.Zero(t, pairs[0].Value.flags)
	require.Equal(t, uint8(FlagRunsCode), pairs[1].Value.flags)
}

func TestTextIsAStringInArrays(t *testing.T) {
	require.Equal(t, list(String("x")), list(Raw(KindText, 0, 0, "x")))
}

func TestRefusals(t *testing.T) {
	deepest, err := nested(MaxDepth)
	require.NoError(t, err)
	_, err = List(deepest)
	require.ErrorIs(t, err, ErrInvalidValue)
	require.ErrorContains(t, err, "nested deeper than 512")
	_, err = Map(named("k", deepest))
	require.ErrorIs(t, err, ErrInvalidValue)
	require.ErrorContains(t, err, `at key "k"`)

	_, err = List(object(`O:8:"stdClass":0:{}`))
	require.ErrorIs(t, err, ErrInvalidValue)
	require.ErrorContains(t, err, "object in an array")
	_, err = object(`O:8:"stdClass":0:{}`).Any()
	require.ErrorIs(t, err, ErrInvalidValue)

	cyclic := []any{nil, nil}
	cyclic[0], cyclic[1] = cyclic, cyclic
	for _, x := range []any{cyclic, []any{deepest}, func() {}, make(chan int), &cyclic, struct{}{}, 1i, uint64(math.MaxUint64),
		map[bool]int{true: 1}, []any{[]any{func() {}}}, map[string]any{"k": func() {}}, map[any]any{"1": 1, 1: 1}} {
		_, err := Of(x)
		require.ErrorIs(t, err, ErrInvalidValue, "%T", x)
	}
}

func TestOf(t *testing.T) {
	type level int
	type name string
	hearts := Enum{"Suit", "Hearts"}
	for _, c := range []struct {
		in   any
		want Value
	}{
		{nil, Null()}, {true, Bool(true)}, {1, Int(1)}, {int8(-1), Int(-1)}, {uint64(math.MaxInt64), Int(math.MaxInt64)},
		{level(3), Int(3)}, {float32(0.5), Float(0.5)}, {"s", String("s")}, {name("n"), String("n")}, {[]byte("b"), String("b")},
		{hearts, EnumCase(hearts)}, {Int(4), Int(4)}, {list(Int(1)), list(Int(1))},
		{[]any{1, "a", nil, []int{2}}, list(Int(1), String("a"), Null(), list(Int(2)))},
		{[2]bool{true, false}, list(Bool(true), Bool(false))},
		{[]any(nil), list()}, {map[string]int(nil), list()},
		{map[string]any{"b": 1, "a": []any{hearts}, "10": 3, "9": 4},
			dict(numbered(9, Int(4)), numbered(10, Int(3)), named("a", list(EnumCase(hearts))), named("b", Int(1)))},
		{map[name]string{"0": "x", "1": "y"}, list(String("x"), String("y"))},
		{map[uint8]int{7: 1, 2: 2}, dict(numbered(2, Int(2)), numbered(7, Int(1)))},
	} {
		got, err := Of(c.in)
		require.NoError(t, err, "%#v", c.in)
		require.Equal(t, c.want, got, "%#v", c.in)
	}
}

func TestAny(t *testing.T) {
	hearts := Enum{"Suit", "Hearts"}
	x, err := list(Null(), Bool(true), Int(-5), Float(2.5), String("s"), EnumCase(hearts), list(),
		dict(numbered(5, Int(1)), named("k", list(Int(2))))).Any()
	require.NoError(t, err)
	require.Equal(t, []any{nil, true, int64(-5), 2.5, "s", hearts, []any{},
		map[string]any{"5": int64(1), "k": []any{int64(2)}}}, x)
}

func TestString(t *testing.T) {
	hearts := EnumCase(Enum{"Suit", "Hearts"})
	require.Equal(t, `[null, false, 1, 1.0, 1e+300, NaN, "a\"\x00", Suit::Hearts, [], [1 => 2, "k" => [0]]]`,
		list(Null(), Bool(false), Int(1), Float(1), Float(1e300), Float(math.NaN()), String("a\"\x00"), hearts, list(),
			dict(numbered(1, Int(2)), named("k", list(Int(0))))).String())
	require.Equal(t, "object (3 bytes)", Raw(KindObject, 0, 0, "\x01N;").String())
	require.Equal(t, "damaged array (1 bytes)", Raw(KindArray, 0, 0, "x").String())
	require.Equal(t, "enum (1 bytes)", Raw(KindEnum, 0, 0, "x").String())
	require.Equal(t, "kind 99", Kind(99).String())
}

// genValue draws any value that Go can make.
func genValue(depth int) *rapid.Generator[Value] {
	scalars := []*rapid.Generator[Value]{
		rapid.Just(Null()),
		rapid.Map(rapid.Bool(), Bool),
		rapid.Map(rapid.Int64(), Int),
		rapid.Map(rapid.Uint64(), func(n uint64) Value { return Float(math.Float64frombits(n)) }),
		rapid.Map(rapid.SliceOf(rapid.Byte()), Bytes),
		rapid.Map(rapid.String(), func(s string) Value { return EnumCase(Enum{"Suit", s}) }),
	}
	if depth == 0 {
		return rapid.OneOf(scalars...)
	}
	key := rapid.OneOf(rapid.Map(rapid.Int64Range(-3, 5), IntKey), rapid.Map(rapid.StringN(0, 3, -1), StringKey))
	pair := rapid.Custom(func(t *rapid.T) Pair {
		return Pair{key.Draw(t, "key"), genValue(depth-1).Draw(t, "value")}
	})
	return rapid.OneOf(append(scalars,
		rapid.Map(rapid.SliceOfN(genValue(depth-1), 0, 5), func(v []Value) Value { return list(v...) }),
		rapid.Map(rapid.SliceOfN(pair, 0, 5), func(p []Pair) Value { return dict(p...) }))...)
}

func TestRoundTrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := genValue(4).Draw(t, "value")
		again, err := rebuild(v)
		require.NoError(t, err)
		require.Equal(t, v, again)
		require.True(t, v.Equal(again))
		x, err := v.Any()
		require.NoError(t, err)
		w, err := Of(x)
		require.NoError(t, err)
		if !strings.Contains(v.String(), "=>") { // a Go map forgets the order
			require.Equal(t, v, w)
		}
	})
}

// Every prefix and every single damaged byte is refused or is another value; nothing panics.
func TestDamage(t *testing.T) {
	for _, c := range vectors(t) {
		if c.value.kind != KindArray {
			continue
		}
		data := c.value.data
		for n := range len(data) {
			_, err := Raw(KindArray, 0, 0, data[:n]).Any()
			require.ErrorIs(t, err, ErrInvalidValue, "%s cut to %d bytes", c.php, n)
			changed := []byte(data)
			changed[n] ^= 0xff
			v := Raw(KindArray, 0, 0, string(changed))
			if again, err := rebuild(v); err == nil {
				require.Equal(t, v.data, again.data)
				require.False(t, slices.Equal(changed, []byte(data)))
			} else {
				require.ErrorIs(t, err, ErrInvalidValue)
			}
		}
	}
}
