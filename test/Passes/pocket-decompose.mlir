// RUN: pocket-opt %s --pocket-decompose | FileCheck %s --implicit-check-not=pocket.attention

// The causal mask is a comparison of two short constants.
// CHECK-LABEL: func.func @causal
// CHECK-SAME: (%[[Q:.*]]: tensor<2x4x3x8xf32>, %[[K:.*]]: tensor<2x4x5x8xf32>, %[[V:.*]]: tensor<2x4x5x6xf32>)
// CHECK: %[[S:.*]] = pocket.matmul %[[Q]], %[[K]] transposed
// CHECK: %[[SCALED:.*]] = pocket.mul %[[S]], %{{.*}}
// CHECK-DAG: %[[ROWS:.*]] = pocket.constant {{.*}} : tensor<3x1xi32>
// CHECK-DAG: %[[COLUMNS:.*]] = pocket.constant {{.*}} : tensor<1x5xi32>
// CHECK: %[[ALLOWED:.*]] = pocket.compare ge %[[ROWS]], %[[COLUMNS]]
// CHECK: %[[MASKED:.*]] = pocket.select %[[ALLOWED]], %[[SCALED]], %{{.*}}
// CHECK: %[[P:.*]] = pocket.softmax %[[MASKED]] dim = 3
// CHECK: %[[Y:.*]] = pocket.matmul %[[P]], %[[V]]
// CHECK: return %[[Y]], %[[P]]
func.func @causal(%q: tensor<2x4x3x8xf32>, %k: tensor<2x4x5x8xf32>, %v: tensor<2x4x5x6xf32>) -> (tensor<2x4x3x6xf32>, tensor<2x4x3x5xf32>) {
  %y, %p = pocket.attention %q, %k, %v scale = 5.0e-01 causal : (tensor<2x4x3x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x6xf32>) -> (tensor<2x4x3x6xf32>, tensor<2x4x3x5xf32>)
  return %y, %p : tensor<2x4x3x6xf32>, tensor<2x4x3x5xf32>
}

// Rows that a mask leaves nothing to see are 0, not NaN.
// CHECK-LABEL: func.func @boolean
// CHECK: %[[MASKED:.*]] = pocket.select %arg3, %{{.*}}, %{{.*}}
// CHECK: %[[P:.*]] = pocket.softmax %[[MASKED]] dim = 3
// CHECK: %[[TOP:.*]] = pocket.reduce_max %[[MASKED]] dims = [3] keepdims
// CHECK: %[[BLIND:.*]] = pocket.compare eq %[[TOP]], %{{.*}}
// CHECK: pocket.select %[[BLIND]], %{{.*}}, %[[P]]
func.func @boolean(%q: tensor<2x4x3x8xf32>, %k: tensor<2x4x5x8xf32>, %v: tensor<2x4x5x6xf32>, %m: tensor<2x1x1x5xi1>) -> tensor<2x4x3x6xf32> {
  %y, %p = pocket.attention %q, %k, %v mask %m scale = 5.0e-01 : (tensor<2x4x3x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x6xf32>, tensor<2x1x1x5xi1>) -> (tensor<2x4x3x6xf32>, tensor<2x4x3x5xf32>)
  return %y : tensor<2x4x3x6xf32>
}

// CHECK-LABEL: func.func @additive
// CHECK: pocket.add %{{.*}}, %arg3
// CHECK-NOT: pocket.attention
func.func @additive(%q: tensor<2x4x3x8xf32>, %k: tensor<2x4x5x8xf32>, %v: tensor<2x4x5x6xf32>, %m: tensor<1x1x3x5xf32>) -> tensor<2x4x3x6xf32> {
  %y, %p = pocket.attention %q, %k, %v mask %m scale = 5.0e-01 : (tensor<2x4x3x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x6xf32>, tensor<1x1x3x5xf32>) -> (tensor<2x4x3x6xf32>, tensor<2x4x3x5xf32>)
  return %y : tensor<2x4x3x6xf32>
}

// Without a mask nothing is selected: two products around a softmax. The scale is one
// number of the scores' type.
// CHECK-LABEL: func.func @plain
// CHECK-NEXT: %[[S:.*]] = pocket.matmul %arg0, %arg1 transposed : (tensor<2x4x3x8xf16>, tensor<2x4x5x8xf16>) -> tensor<2x4x3x5xf16>
// CHECK-NEXT: %[[SCALE:.*]] = pocket.constant dense<2.500000e-01> : tensor<f16>
// CHECK-NEXT: %[[SCALED:.*]] = pocket.mul %[[S]], %[[SCALE]]
// CHECK-NEXT: %[[P:.*]] = pocket.softmax %[[SCALED]] dim = 3
// CHECK-NEXT: %[[Y:.*]] = pocket.matmul %[[P]], %arg2 :
// CHECK-NEXT: return %[[Y]]
func.func @plain(%q: tensor<2x4x3x8xf16>, %k: tensor<2x4x5x8xf16>, %v: tensor<2x4x5x6xf16>) -> tensor<2x4x3x6xf16> {
  %y, %p = pocket.attention %q, %k, %v scale = 2.5e-01 : (tensor<2x4x3x8xf16>, tensor<2x4x5x8xf16>, tensor<2x4x5x6xf16>) -> (tensor<2x4x3x6xf16>, tensor<2x4x3x5xf16>)
  return %y : tensor<2x4x3x6xf16>
}

// Position t sees positions up to t: row numbers against column numbers, and what is not
// allowed becomes -infinity. Every row sees at least itself, so none is looked for that is 0.
// CHECK-LABEL: func.func @causal_numbers
// CHECK-DAG: %[[ROWS:.*]] = pocket.constant dense<{{\[\[}}0], [1], [2]]> : tensor<3x1xi32>
// CHECK-DAG: %[[COLUMNS:.*]] = pocket.constant dense<{{\[\[}}0, 1, 2, 3]]> : tensor<1x4xi32>
// CHECK-DAG: %[[LOW:.*]] = pocket.constant dense<0xFF800000> : tensor<f32>
// CHECK-DAG: %[[ALLOWED:.*]] = pocket.compare ge %[[ROWS]], %[[COLUMNS]] : {{.*}} -> tensor<3x4xi1>
// CHECK: pocket.select %[[ALLOWED]], %{{.*}}, %[[LOW]] : (tensor<3x4xi1>, tensor<1x1x3x4xf32>, tensor<f32>) -> tensor<1x1x3x4xf32>
// CHECK-NOT: pocket.reduce_max
// CHECK: return
func.func @causal_numbers(%q: tensor<1x1x3x2xf32>, %k: tensor<1x1x4x2xf32>, %v: tensor<1x1x4x2xf32>) -> tensor<1x1x3x2xf32> {
  %y, %p = pocket.attention %q, %k, %v scale = 1.0 causal : (tensor<1x1x3x2xf32>, tensor<1x1x4x2xf32>, tensor<1x1x4x2xf32>) -> (tensor<1x1x3x2xf32>, tensor<1x1x3x4xf32>)
  return %y : tensor<1x1x3x2xf32>
}

// A mask on top of the causal one: what either forbids is forbidden, and a row may see
// nothing. The probabilities that the backward pass reads are those with zeros in it.
// CHECK-LABEL: func.func @causal_and_mask
// CHECK-SAME: %[[M:[^:]*]]: tensor<3x4xi1>)
// CHECK: %[[ALLOWED:.*]] = pocket.compare ge
// CHECK: %[[CAUSAL:.*]] = pocket.select %[[ALLOWED]], %{{.*}}, %{{.*}}
// CHECK: %[[BOTH:.*]] = pocket.select %[[M]], %[[CAUSAL]], %{{.*}}
// CHECK: %[[P:.*]] = pocket.softmax %[[BOTH]] dim = 3
// CHECK: %[[TOP:.*]] = pocket.reduce_max %[[BOTH]] dims = [3] keepdims
// CHECK: %[[BLIND:.*]] = pocket.compare eq %[[TOP]], %{{.*}}
// CHECK: %[[ZERO:.*]] = pocket.constant dense<0.000000e+00> : tensor<f32>
// CHECK: %[[SEEN:.*]] = pocket.select %[[BLIND]], %[[ZERO]], %[[P]]
// CHECK: %[[Y:.*]] = pocket.matmul %[[SEEN]], %arg2 :
// CHECK: return %[[Y]], %[[SEEN]]
func.func @causal_and_mask(%q: tensor<1x1x3x2xf32>, %k: tensor<1x1x4x2xf32>, %v: tensor<1x1x4x2xf32>, %m: tensor<3x4xi1>) -> (tensor<1x1x3x2xf32>, tensor<1x1x3x4xf32>) {
  %y, %p = pocket.attention %q, %k, %v mask %m scale = 1.0 causal : (tensor<1x1x3x2xf32>, tensor<1x1x4x2xf32>, tensor<1x1x4x2xf32>, tensor<3x4xi1>) -> (tensor<1x1x3x2xf32>, tensor<1x1x3x4xf32>)
  return %y, %p : tensor<1x1x3x2xf32>, tensor<1x1x3x4xf32>
}

// A float mask is added to the scores; it may hold -infinity for all of a row, too.
// CHECK-LABEL: func.func @causal_and_bias
// CHECK: %[[CAUSAL:.*]] = pocket.select
// CHECK: %[[SUM:.*]] = pocket.add %[[CAUSAL]], %arg3 : (tensor<1x1x3x4xf32>, tensor<4xf32>)
// CHECK: %[[P:.*]] = pocket.softmax %[[SUM]] dim = 3
// CHECK: pocket.reduce_max %[[SUM]]
// CHECK: pocket.select %{{.*}}, %{{.*}}, %[[P]]
func.func @causal_and_bias(%q: tensor<1x1x3x2xf32>, %k: tensor<1x1x4x2xf32>, %v: tensor<1x1x4x2xf32>, %m: tensor<4xf32>) -> tensor<1x1x3x2xf32> {
  %y, %p = pocket.attention %q, %k, %v mask %m scale = 1.0 causal : (tensor<1x1x3x2xf32>, tensor<1x1x4x2xf32>, tensor<1x1x4x2xf32>, tensor<4xf32>) -> (tensor<1x1x3x2xf32>, tensor<1x1x3x4xf32>)
  return %y : tensor<1x1x3x2xf32>
}

// Other ops stay as they are.
// CHECK-LABEL: func.func @others
// CHECK-NEXT: pocket.softmax %arg0 dim = 1
// CHECK-NEXT: pocket.matmul
// CHECK-NEXT: return
func.func @others(%x: tensor<3x3xf32>) -> tensor<3x3xf32> {
  %0 = pocket.softmax %x dim = 1 : tensor<3x3xf32>
  %1 = pocket.matmul %0, %x : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  return %1 : tensor<3x3xf32>
}
