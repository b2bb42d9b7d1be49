// RUN: not pocket-opt %s --pocket-export-tiles 2>&1 | FileCheck %s
// RUN: pocket-opt %s --pocket-export-tiles --allow-unregistered-dialect -o /dev/null

// CHECK: error: makes attributes and ops of IREE's, which this context does not know: run pocket-opt with --allow-unregistered-dialect
module {}
