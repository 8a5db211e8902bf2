#ifndef FRANKENSHARE_TABLE_H
#define FRANKENSHARE_TABLE_H

#include "bridge.h"

/* The filled table, which lives as long as the process. */
fs_bridge *fs_bridge_table(uint64_t threads);

#endif
