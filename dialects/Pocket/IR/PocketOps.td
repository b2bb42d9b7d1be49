// Every op of the dialect, for documentation and the Python bindings.
#ifndef POCKET_IR_POCKETOPS
#define POCKET_IR_POCKETOPS
include "Pocket/IR/ElementwiseOps.td"
include "Pocket/IR/TensorOps.td"
include "Pocket/IR/NeuralNetworkOps.td"
include "Pocket/IR/BackwardOps.td"
include "Pocket/IR/UpdateOps.td"
#endif
