/* Figures: stats() and phpinfo(). */
#ifndef FRANKENSHARE_INFO_H
#define FRANKENSHARE_INFO_H

#include <php.h>

#include "reader.h"

/* Leaves out undefined with an exception pending. */
void fs_stats(fs_control *c, zval *out);

/* The section in phpinfo(). */
void fs_info(void);

#endif
