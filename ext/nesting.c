#include <stdlib.h>
#include <string.h>

#include "codec.h"

/* p is at the length of `5:"bytes"`; answers what follows it. */
static const char *after_quoted(const char *p)
{
	char *colon;
	size_t len = strtoul(p, &colon, 10);
	return colon + 2 + len + 1;
}

static const char *after(const char *p, const char *end, char c)
{
	const char *at = memchr(p, c, (size_t)(end - p));
	return at != NULL ? at + 1 : end;
}

size_t fs_serialized_depth(const char *p, size_t len)
{
	const char *end = p + len;
	size_t depth = 0, deepest = 0;
	while (p < end) {
		switch (*p) {
		case 's': /* a string */
		case 'E': /* an enum case */
			p = after_quoted(p + 2) + 1;
			continue;
		case 'C': { /* what a Serializable wrote, which it reads itself */
			char *colon;
			size_t payload = strtoul(after_quoted(p + 2) + 1, &colon, 10);
			p = colon + 2 + payload + 1;
			continue;
		}
		case 'O':
			p = after_quoted(p + 2);
			break;
		case 'a':
			break;
		case '}':
			depth--;
			p++;
			continue;
		default:
			p = after(p, end, ';');
			continue;
		}
		p = after(p, end, '{');
		depth++;
		deepest = depth > deepest ? depth : deepest;
	}
	return deepest;
}
