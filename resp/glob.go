package resp

// matches says whether a string is like a pattern: * stands for any bytes, ? for one, [abc], [a-z] and [^a] for one of a set or none of
// it, and a backslash takes the next byte as it is. It takes time in proportion to both lengths' product at most.
func matches(pattern, s string) bool {
	p, i := 0, 0
	star, from := -1, 0 // the last *, and where what it stands for ends
	for i < len(s) {
		if p < len(pattern) && pattern[p] == '*' {
			star, from = p, i
			p++
			continue
		}
		if p < len(pattern) {
			if next, ok := matchOne(pattern, p, s[i]); ok {
				p = next
				i++
				continue
			}
		}
		if star < 0 {
			return false
		}
		from++
		p, i = star+1, from
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}

// matchOne matches one byte with what stands at p and answers where the pattern goes on.
func matchOne(pattern string, p int, c byte) (next int, ok bool) {
	switch pattern[p] {
	case '?':
		return p + 1, true
	case '[':
		return matchSet(pattern, p+1, c)
	case '\\':
		if p+1 < len(pattern) {
			p++
		}
	}
	return p + 1, pattern[p] == c
}

// matchSet matches one byte with a set whose bracket is open. A set that is not closed ends with the pattern.
func matchSet(pattern string, p int, c byte) (next int, ok bool) {
	not := p < len(pattern) && pattern[p] == '^'
	if not {
		p++
	}
	for ; p < len(pattern) && pattern[p] != ']'; p++ {
		switch {
		case pattern[p] == '\\' && p+1 < len(pattern):
			p++
			ok = ok || pattern[p] == c
		case p+2 < len(pattern) && pattern[p+1] == '-':
			low, high := min(pattern[p], pattern[p+2]), max(pattern[p], pattern[p+2])
			ok = ok || low <= c && c <= high
			p += 2
		default:
			ok = ok || pattern[p] == c
		}
	}
	return min(p+1, len(pattern)), ok != not
}
