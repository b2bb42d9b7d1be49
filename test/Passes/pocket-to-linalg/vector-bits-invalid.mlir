// RUN: not pocket-opt %s --pocket-to-linalg=vector-bits=33 2>&1 | FileCheck %s -DBITS=33
// RUN: not pocket-opt %s --pocket-to-linalg=vector-bits=-128 2>&1 | FileCheck %s -DBITS=-128
// RUN: not pocket-opt %s --pocket-linalg-pipeline=vector-bits=4096 2>&1 | FileCheck %s -DBITS=4096
// RUN: pocket-opt %s --pocket-to-linalg=vector-bits=0

// CHECK: error: vector-bits is [[BITS]]; it must be a power of two from 64 to 2048, or 0
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
