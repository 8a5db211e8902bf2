/* A look at what PHP's serializer wrote, which is well-formed. */
#include <string.h>

#include "encode.h"

/* The number at *p, which is left at what follows it. */
static size_t number(const char **p)
{
	size_t n = 0;
	for (; **p >= '0' && **p <= '9'; ++*p) {
		n = n * 10 + (size_t)(**p - '0');
	}
	return n;
}

/* p is at the length of `5:"bytes"`; answers what follows it. */
static const char *after_quoted(const char *p, fs_bytes *bytes)
{
	size_t len = number(&p);
	*bytes = (fs_bytes){.data = p + 2, .len = len};
	return p + 2 + len + 1;
}

static const char *after(const char *p, const char *end, char c)
{
	const char *at = memchr(p, c, (size_t)(end - p));
	return at != NULL ? at + 1 : end;
}

bool fs_serialized_next(fs_serialized *s, fs_bytes *class_name)
{
	fs_bytes other;
	size_t len;
	while (s->p < s->end) {
		switch (*s->p) {
		case 's': /* a string */
		case 'E': /* an enum case */
			s->p = after_quoted(s->p + 2, &other) + 1;
			continue;
		case 'C': /* what a Serializable wrote is as a string is: its own affair */
			s->p = after_quoted(s->p + 2, class_name) + 1;
			len = number(&s->p);
			s->p += 2 + len; /* at its '}' */
			s->depth++;
			return true;
		case 'O':
			s->p = after(after_quoted(s->p + 2, class_name), s->end, '{');
			s->depth++;
			return true;
		case 'a':
			*class_name = (fs_bytes){0};
			s->p = after(s->p, s->end, '{');
			s->depth++;
			return true;
		case '}':
			s->depth--;
			s->p++;
			continue;
		default:
			s->p = after(s->p, s->end, ';');
			continue;
		}
	}
	return false;
}
