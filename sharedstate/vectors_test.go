package sharedstate

import (
	"encoding/hex"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var updateVectors = flag.Bool("update", false, "write testdata/values.txt")

const (
	vectorsFile = "testdata/values.txt"
	vectorsHead = `# What the Go codec and the C codec must agree on, written by: go test ./sharedstate -run TestVectors -update
# value    kind  flags  number (hex)  data (hex)  the value in PHP
# damaged  kind  flags  number (hex)  data (hex)  what is wrong with it
# Fields are separated by tabs.
`
)

// vector is a value and how PHP writes it.
type vector struct {
	value Value
	php   string
}

func list(values ...Value) Value {
	v, err := List(values...)
	if err != nil {
		panic(err)
	}
	return v
}

func dict(pairs ...Pair) Value {
	v, err := Map(pairs...)
	if err != nil {
		panic(err)
	}
	return v
}

func named(k string, v Value) Pair   { return Pair{StringKey(k), v} }
func numbered(k int64, v Value) Pair { return Pair{IntKey(k), v} }

func nested(depth int) (Value, error) {
	v := list()
	for range depth - 1 {
		var err error
		if v, err = List(v); err != nil {
			return v, err
		}
	}
	return v, nil
}

func vectors(t *testing.T) []vector {
	deepest, err := nested(MaxDepth)
	require.NoError(t, err)
	hearts := EnumCase(Enum{"Suit", "Hearts"})
	return []vector{
		{Null(), `null`},
		{Bool(false), `false`},
		{Bool(true), `true`},
		{Int(0), `0`},
		{Int(-1), `-1`},
		{Int(math.MaxInt64), `PHP_INT_MAX`},
		{Int(math.MinInt64), `PHP_INT_MIN`},
		{Int(1<<53 + 1), `2**53+1`},
		{Float(1), `1.0`},
		{Float(math.Copysign(0, -1)), `-0.0`},
		{Float(math.Inf(1)), `INF`},
		{Float(math.Inf(-1)), `-INF`},
		{Float(math.Float64frombits(0x7ff8000000000000)), `NAN`},
		{Float(math.SmallestNonzeroFloat64), `4.9E-324`},
		{String(""), `""`},
		{String("\x00"), `"\0"`},
		{String("\xff"), `"\xff"`},
		{String("O:8:\"stdClass\":0:{}"), `'O:8:"stdClass":0:{}'`},
		{list(), `[]`},
		{list(Null(), Bool(false), Bool(true)), `[null, false, true]`},
		{list(Int(0), Int(-1), Int(63), Int(-64), Int(64), Int(8191), Int(8192)), `[0, -1, 63, -64, 64, 8191, 8192]`},
		{list(Int(math.MaxInt64), Int(math.MinInt64)), `[PHP_INT_MAX, PHP_INT_MIN]`},
		{list(Float(1), Float(math.Copysign(0, -1)), Float(math.Inf(-1)), Float(math.Float64frombits(0x7ff8000000000000))),
			`[1.0, -0.0, -INF, NAN]`},
		{list(String(""), String("\x00"), String("\xff"), String(strings.Repeat("ab", 64))),
			`["", "\0", "\xff", str_repeat("ab", 64)]`},
		{list(Int(1)), `(function () { $a = [1, 2]; unset($a[1]); return $a; })()`},
		{dict(named("a", Int(1)), named("0", Int(2)), numbered(5, String("x"))), `['a' => 1, '0' => 2, 5 => 'x']`},
		{dict(numbered(1, Int(1)), numbered(0, Int(0))), `[1 => 1, 0 => 0]`},
		{dict(numbered(1, Int(1)), numbered(2, Int(2))), `[1 => 1, 2 => 2]`},
		{dict(named("", Null()), named("-0", Int(0)), named("0123", Int(1)), named("9223372036854775808", Int(2)),
			named("1.5", Int(3)), named(" 1", Int(4)), named("\xff\x00", Int(5)), named("-", Int(6))),
			`['' => null, '-0' => 0, '0123' => 1, '9223372036854775808' => 2, '1.5' => 3, ' 1' => 4, "\xff\0" => 5, '-' => 6]`},
		{dict(named("9223372036854775807", Int(1)), named("-9223372036854775807", Int(2)), named("-1", Int(3))),
			`['9223372036854775807' => 1, '-9223372036854775807' => 2, '-1' => 3]`},
		{dict(named("-9223372036854775808", Int(1))), `['-9223372036854775808' => 1]`},
		{list(list(), list(list()), dict(named("k", list(Int(1))))), `[[], [[]], ['k' => [1]]]`},
		{deepest, `(function () { $a = []; for ($i = 1; $i < 512; $i++) { $a = [$a]; } return $a; })()`},
		{hearts, `Suit::Hearts`},
		{EnumCase(Enum{`App\Level`, "Low"}), `App\Level::Low`},
		{list(hearts, Int(1)), `[Suit::Hearts, 1]`},
		{dict(named("s", list(hearts))), `['s' => [Suit::Hearts]]`},
		{Handle{SharedCounter, 1}.value(), `new Handle(1, 1)`},
		{Handle{SharedChannel, 1 << 40}.value(), `new Handle(4, 1 << 40)`},
		{list(Handle{SharedFlag, 300}.value(), Int(1), hearts, Handle{SharedFlag, 300}.value()),
			`[new Handle(2, 300), 1, Suit::Hearts, new Handle(2, 300)]`},
		{dict(named("m", list(Handle{SharedMutex, 2}.value()))), `['m' => [new Handle(3, 2)]]`},
		{object(`O:8:"stdClass":1:{s:1:"x";i:1;}`), `(object)['x' => 1]`},
		{object(`a:2:{i:0;O:8:"stdClass":0:{}i:1;r:2;}`), `(function () { $o = new stdClass; return [$o, $o]; })()`},
	}
}

func object(serialized string) Value {
	return Raw(KindObject, FlagFresh|FlagRunsCode, 0, "\x01"+serialized)
}

// damaged holds encodings that both decoders refuse, in hex, and why.
var damaged = []struct {
	kind Kind
	data string
	why  string
}{
	{KindArray, "", "no bytes"},
	{KindArray, "00", "version 0"},
	{KindArray, "0200", "version 2"},
	{KindArray, "01", "no count"},
	{KindArray, "0102", "a missing element"},
	{KindArray, "010201ff", "a surplus byte"},
	{KindArray, "01fffffffffffffffff7", "a count of ten bytes that is cut off"},
	{KindArray, "01feffffffffffffffff01", "the largest count"},
	{KindArray, "01feffffff0f", "a count of 2**31 without elements"},
	{KindArray, "018000", "a count that is not minimal"},
	{KindArray, "01020480808080808080808002", "an int above 64 bits"},
	{KindArray, "0102048000", "an int that is not minimal"},
	{KindArray, "01020500000000000000", "a float of seven bytes"},
	{KindArray, "0102060261", "a string cut off"},
	{KindArray, "010206ffffffffffffffffff01", "the longest string length"},
	{KindArray, "010200", "element tag 0"},
	{KindArray, "010209", "an object in an array"},
	{KindArray, "01020a01", "a handle cut off in an array"},
	{KindArray, "01020b00", "a text in an array"},
	{KindArray, "0101", "an empty array written as a hash"},
	{KindArray, "0103040001", "a list written as a hash"},
	{KindArray, "01050402010404", "a hash whose last element is missing"},
	{KindArray, "0105040201040201", "an int key twice"},
	{KindArray, "01050601610106016101", "a string key twice"},
	{KindArray, "010306013101", "a decimal string as a key"},
	{KindArray, "01030501", "a float as a key"},
	{KindEnum, "", "no bytes"},
	{KindEnum, "0104537569", "a class cut off"},
	{KindEnum, "010453756974", "no case"},
	{KindEnum, "01045375697406486561727473ff", "a surplus byte"},
	{KindObject, "", "no bytes"},
	{KindObject, "024e3b", "version 2"},
	{KindHandle, "", "a handle of no bytes"},
	{KindHandle, "01", "a handle without a kind"},
	{KindHandle, "0101", "a handle without a number"},
	{KindHandle, "020101", "a handle of version 2"},
	{KindHandle, "010001", "a handle of kind 0"},
	{KindHandle, "010501", "a handle of an unknown kind"},
	{KindHandle, "01018000", "a handle's number that is not minimal"},
	{KindHandle, "010100", "a handle's number 0"},
	{KindHandle, "010101ff", "a surplus byte"},
	{KindNone, "", "kind 0"},
	{Kind(12), "", "an unknown kind"},
}

func vectorsText(t *testing.T) string {
	var b strings.Builder
	b.WriteString(vectorsHead)
	line := func(what string, v Value, text string) {
		kind, flags, number, data := v.kind, v.flags, v.number, v.data
		fmt.Fprintf(&b, "%s\t%d\t%d\t%x\t%x\t%s\n", what, kind, flags, number, data, text)
	}
	for _, v := range vectors(t) {
		line("value", v.value, v.php)
	}
	for _, d := range damaged {
		data, err := hex.DecodeString(d.data)
		require.NoError(t, err)
		line("damaged", Raw(d.kind, FlagRunsCode|FlagHandles, 0, string(data)), d.why)
	}
	deep, err := nested(MaxDepth)
	require.NoError(t, err)
	line("damaged", Raw(KindArray, 0, 0, "\x01\x02\x07"+deep.data), "an array nested 513 deep")
	return b.String()
}

// parseVectors reads the file as the C side does.
func parseVectors(t testing.TB) (values, damaged []Value) {
	text, err := os.ReadFile(vectorsFile)
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		require.Len(t, f, 6, line)
		kind, err := strconv.ParseUint(f[1], 10, 8)
		require.NoError(t, err)
		flags, err := strconv.ParseUint(f[2], 10, 8)
		require.NoError(t, err)
		number, err := strconv.ParseUint(f[3], 16, 64)
		require.NoError(t, err)
		data, err := hex.DecodeString(f[4])
		require.NoError(t, err)
		v := Raw(Kind(kind), uint8(flags), number, string(data))
		if f[0] == "value" {
			values = append(values, v)
		} else {
			damaged = append(damaged, v)
		}
	}
	return values, damaged
}

func TestVectors(t *testing.T) {
	text := vectorsText(t)
	if *updateVectors {
		require.NoError(t, os.WriteFile(vectorsFile, []byte(text), 0o644))
	}
	committed, err := os.ReadFile(vectorsFile)
	require.NoError(t, err)
	require.Equal(t, string(committed), text, "the encoding has changed")
}

func TestVectorsDecode(t *testing.T) {
	values, damaged := parseVectors(t)
	for i, v := range vectors(t) {
		require.True(t, values[i].Equal(v.value), v.php)
		again, err := rebuild(values[i])
		require.NoError(t, err, v.php)
		require.Equal(t, v.value, again, v.php)
	}
	for _, v := range damaged {
		switch v.kind {
		case KindArray:
			_, err := v.Pairs()
			require.ErrorIs(t, err, ErrInvalidValue, "%x", v.data)
			_, err = List(v)
			require.ErrorIs(t, err, ErrInvalidValue, "%x", v.data)
		case KindEnum:
			_, ok := v.Enum()
			require.False(t, ok, "%x", v.data)
		case KindHandle:
			_, ok := v.Handle()
			require.False(t, ok, "%x", v.data)
		}
		_, err := v.Any()
		if v.kind != KindNone { // the zero Value is null
			require.ErrorIs(t, err, ErrInvalidValue, "%x", v.data)
		}
	}
}

// rebuild takes an array apart and puts it together again, by way of the public API.
func rebuild(v Value) (Value, error) {
	if v.Kind() != KindArray {
		return v, nil
	}
	pairs, err := v.Pairs()
	if err != nil {
		return v, err
	}
	for i, p := range pairs {
		if pairs[i].Value, err = rebuild(p.Value); err != nil {
			return v, err
		}
	}
	return Map(pairs...)
}

// The corpus is also what libFuzzer starts from (tests/codec/fuzz.c): a kind, then encoded bytes.
func FuzzFault013Decode(f *testing.F) {
	values, damaged := parseVectors(f)
	for _, v := range append(values, damaged...) {
		f.Add(append([]byte{byte(v.kind)}, v.data...))
	}
	corpus, err := filepath.Glob("testdata/decode/*")
	require.NoError(f, err)
	require.NotEmpty(f, corpus)
	for _, file := range corpus {
		input, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(input)
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		if len(input) == 0 {
			return
		}
		v := Raw(Kind(input[0]), 0, 0, string(input[1:]))
		_ = v.String()
		x, anyErr := v.Any()
		if v.kind != KindArray {
			return
		}
		again, err := rebuild(v)
		require.Equal(t, err == nil, anyErr == nil, "Pairs: %v, Any: %v", err, anyErr)
		if err != nil {
			require.ErrorIs(t, err, ErrInvalidValue)
			require.ErrorIs(t, anyErr, ErrInvalidValue)
			return
		}
		require.Equal(t, v.data, again.data, "a second encoding of one value")
		require.True(t, v.Equal(again))
		if _, err := Of(x); err != nil {
			t.Fatalf("Of(Any()): %v", err)
		}
	})
}
