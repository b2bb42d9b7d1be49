// Ops have no side effects: what nothing reads goes, every op of the dialect. These are
// the files that hold each of them, all results unread.
// RUN: pocket-opt %S/roundtrip-elementwise.mlir --canonicalize | FileCheck %s --implicit-check-not="= pocket."
// RUN: pocket-opt %S/roundtrip-tensor.mlir --canonicalize | FileCheck %s --implicit-check-not="= pocket."
// RUN: pocket-opt %S/roundtrip-neural-network.mlir --canonicalize | FileCheck %s --implicit-check-not="= pocket."
// RUN: pocket-opt %S/roundtrip-update.mlir --canonicalize | FileCheck %s --implicit-check-not="= pocket."

// CHECK: func.func
// CHECK: return
