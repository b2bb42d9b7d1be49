#ifndef POCKET_BINDINGS_POCKETOPS
#define POCKET_BINDINGS_POCKETOPS
include "Pocket/IR/PocketOps.td"
#endif
