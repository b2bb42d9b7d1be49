// RUN: pocket-opt %s --pocket-decompose | FileCheck %s

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
