// RUN: pocket-opt %s --pocket-to-linalg --canonicalize --cse | FileCheck %s

// What each function computes for one element, operand by operand.

// One instruction or one function of the target each.
// CHECK-LABEL: func.func @neg(
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%arg0 :
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[V0:.*]] = arith.negf %[[X]] : f32
// CHECK-NEXT: linalg.yield %[[V0]] : f32
func.func @neg(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pocket.neg %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @abs(
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%arg0 :
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[V0:.*]] = math.absf %[[X]] : f32
// CHECK-NEXT: linalg.yield %[[V0]] : f32
func.func @abs(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pocket.abs %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// NaN and zero are kept by falling through both comparisons.
// CHECK-LABEL: func.func @sign(
// CHECK-DAG: %[[C0:.*]] = arith.constant 1.000000e+00 : f32
// CHECK-DAG: %[[C1:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG: %[[C2:.*]] = arith.constant -1.000000e+00 : f32
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%arg0 :
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[V0:.*]] = arith.cmpf olt, %[[X]], %[[C1]] : f32
// CHECK-NEXT: %[[V1:.*]] = arith.select %[[V0]], %[[C2]], %[[X]] : f32
// CHECK-NEXT: %[[V2:.*]] = arith.cmpf ogt, %[[X]], %[[C1]] : f32
// CHECK-NEXT: %[[V3:.*]] = arith.select %[[V2]], %[[C0]], %[[V1]] : f32
// CHECK-NEXT: linalg.yield %[[V3]] : f32
func.func @sign(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pocket.sign %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @expm1(
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%arg0 :
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[V0:.*]] = math.expm1 %[[X]] : f32
// CHECK-NEXT: linalg.yield %[[V0]] : f32
func.func @expm1(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pocket.expm1 %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @log(
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%arg0 :
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[V0:.*]] = math.log %[[X]] : f32
// CHECK-NEXT: linalg.yield %[[V0]] : f32
func.func @log(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pocket.log %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @log1p(
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%arg0 :
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[V0:.*]] = math.log1p %[[X]] : f32
// CHECK-NEXT: linalg.yield %[[V0]] : f32
func.func @log1p(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pocket.log1p %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @sqrt(
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%arg0 :
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[V0:.*]] = math.sqrt %[[X]] : f32
// CHECK-NEXT: linalg.yield %[[V0]] : f32
func.func @sqrt(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pocket.sqrt %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @rsqrt(
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%arg0 :
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[V0:.*]] = math.rsqrt %[[X]] : f32
// CHECK-NEXT: linalg.yield %[[V0]] : f32
func.func @rsqrt(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pocket.rsqrt %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @reciprocal(
// CHECK-DAG: %[[C0:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%arg0 :
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[V0:.*]] = arith.divf %[[C0]], %[[X]] : f32
// CHECK-NEXT: linalg.yield %[[V0]] : f32
func.func @reciprocal(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pocket.reciprocal %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @tanh(
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%arg0 :
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[V0:.*]] = math.tanh %[[X]] : f32
// CHECK-NEXT: linalg.yield %[[V0]] : f32
func.func @tanh(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pocket.tanh %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Written so, neither end overflows to NaN.
// CHECK-LABEL: func.func @sigmoid(
// CHECK-DAG: %[[C0:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%arg0 :
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[V0:.*]] = arith.negf %[[X]] : f32
// CHECK-NEXT: %[[V1:.*]] = math.exp %[[V0]] : f32
// CHECK-NEXT: %[[V2:.*]] = arith.addf %[[V1]], %[[C0]] : f32
// CHECK-NEXT: %[[V3:.*]] = arith.divf %[[C0]], %[[V2]] : f32
// CHECK-NEXT: linalg.yield %[[V3]] : f32
func.func @sigmoid(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pocket.sigmoid %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Whole turns are taken off first, 2 pi in three parts: the code generator's own sine loses
// digits of large arguments.
// CHECK-LABEL: func.func @sin(
// CHECK-DAG: %[[C0:.*]] = arith.constant -1.02531317E-11 : f32
// CHECK-DAG: %[[C1:.*]] = arith.constant -0.00193530717 : f32
// CHECK-DAG: %[[C2:.*]] = arith.constant -6.281250e+00 : f32
// CHECK-DAG: %[[C3:.*]] = arith.constant 0.159154937 : f32
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%arg0 :
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[V0:.*]] = arith.mulf %[[X]], %[[C3]] : f32
// CHECK-NEXT: %[[V1:.*]] = math.roundeven %[[V0]] : f32
// CHECK-NEXT: %[[V2:.*]] = math.fma %[[V1]], %[[C2]], %[[X]] : f32
// CHECK-NEXT: %[[V3:.*]] = math.fma %[[V1]], %[[C1]], %[[V2]] : f32
// CHECK-NEXT: %[[V4:.*]] = math.fma %[[V1]], %[[C0]], %[[V3]] : f32
// CHECK-NEXT: %[[V5:.*]] = math.sin %[[V4]] : f32
// CHECK-NEXT: linalg.yield %[[V5]] : f32
func.func @sin(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pocket.sin %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @cos(
// CHECK-DAG: %[[C0:.*]] = arith.constant -1.02531317E-11 : f32
// CHECK-DAG: %[[C1:.*]] = arith.constant -0.00193530717 : f32
// CHECK-DAG: %[[C2:.*]] = arith.constant -6.281250e+00 : f32
// CHECK-DAG: %[[C3:.*]] = arith.constant 0.159154937 : f32
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%arg0 :
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[V0:.*]] = arith.mulf %[[X]], %[[C3]] : f32
// CHECK-NEXT: %[[V1:.*]] = math.roundeven %[[V0]] : f32
// CHECK-NEXT: %[[V2:.*]] = math.fma %[[V1]], %[[C2]], %[[X]] : f32
// CHECK-NEXT: %[[V3:.*]] = math.fma %[[V1]], %[[C1]], %[[V2]] : f32
// CHECK-NEXT: %[[V4:.*]] = math.fma %[[V1]], %[[C0]], %[[V3]] : f32
// CHECK-NEXT: %[[V5:.*]] = math.cos %[[V4]] : f32
// CHECK-NEXT: linalg.yield %[[V5]] : f32
func.func @cos(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pocket.cos %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @floor(
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%arg0 :
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[V0:.*]] = math.floor %[[X]] : f32
// CHECK-NEXT: linalg.yield %[[V0]] : f32
func.func @floor(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pocket.floor %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @ceil(
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%arg0 :
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[V0:.*]] = math.ceil %[[X]] : f32
// CHECK-NEXT: linalg.yield %[[V0]] : f32
func.func @ceil(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pocket.ceil %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @round(
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%arg0 :
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[V0:.*]] = math.roundeven %[[X]] : f32
// CHECK-NEXT: linalg.yield %[[V0]] : f32
func.func @round(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pocket.round %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// A mark for differentiation: nothing is computed.
// CHECK-LABEL: func.func @stop_gradient(
// CHECK-NEXT: return %arg0
func.func @stop_gradient(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pocket.stop_gradient %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// The kinks: NaN passes, for it is neither below nor above.
// CHECK-LABEL: func.func @leaky_relu(
// CHECK-DAG: %[[C0:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG: %[[C1:.*]] = arith.constant 2.500000e-01 : f32
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%arg0 :
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[V0:.*]] = arith.mulf %[[X]], %[[C1]] : f32
// CHECK-NEXT: %[[V1:.*]] = arith.cmpf ogt, %[[X]], %[[C0]] : f32
// CHECK-NEXT: %[[V2:.*]] = arith.select %[[V1]], %[[X]], %[[V0]] : f32
// CHECK-NEXT: linalg.yield %[[V2]] : f32
func.func @leaky_relu(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pocket.leaky_relu %x slope = 0.25 : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @elu(
// CHECK-DAG: %[[C0:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG: %[[C1:.*]] = arith.constant 2.000000e+00 : f32
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%arg0 :
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[V0:.*]] = math.expm1 %[[X]] : f32
// CHECK-NEXT: %[[V1:.*]] = arith.mulf %[[V0]], %[[C1]] : f32
// CHECK-NEXT: %[[V2:.*]] = arith.cmpf ole, %[[X]], %[[C0]] : f32
// CHECK-NEXT: %[[V3:.*]] = arith.select %[[V2]], %[[V1]], %[[X]] : f32
// CHECK-NEXT: linalg.yield %[[V3]] : f32
func.func @elu(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pocket.elu %x alpha = 2.0 : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @hardtanh(
// CHECK-DAG: %[[C0:.*]] = arith.constant 6.000000e+00 : f32
// CHECK-DAG: %[[C1:.*]] = arith.constant -1.000000e+00 : f32
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%arg0 :
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[V0:.*]] = arith.cmpf olt, %[[X]], %[[C1]] : f32
// CHECK-NEXT: %[[V1:.*]] = arith.select %[[V0]], %[[C1]], %[[X]] : f32
// CHECK-NEXT: %[[V2:.*]] = arith.cmpf ogt, %[[V1]], %[[C0]] : f32
// CHECK-NEXT: %[[V3:.*]] = arith.select %[[V2]], %[[C0]], %[[V1]] : f32
// CHECK-NEXT: linalg.yield %[[V3]] : f32
func.func @hardtanh(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pocket.hardtanh %x min = -1.0 max = 6.0 : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @clamp(
// CHECK-DAG: %[[C0:.*]] = arith.constant 6.000000e+00 : f32
// CHECK-DAG: %[[C1:.*]] = arith.constant -1.000000e+00 : f32
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%arg0 :
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[V0:.*]] = arith.cmpf olt, %[[X]], %[[C1]] : f32
// CHECK-NEXT: %[[V1:.*]] = arith.select %[[V0]], %[[C1]], %[[X]] : f32
// CHECK-NEXT: %[[V2:.*]] = arith.cmpf ogt, %[[V1]], %[[C0]] : f32
// CHECK-NEXT: %[[V3:.*]] = arith.select %[[V2]], %[[C0]], %[[V1]] : f32
// CHECK-NEXT: linalg.yield %[[V3]] : f32
func.func @clamp(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pocket.clamp %x min = -1.0 max = 6.0 : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @hardsigmoid(
// CHECK-DAG: %[[C0:.*]] = arith.constant 6.000000e+00 : f32
// CHECK-DAG: %[[C1:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG: %[[C2:.*]] = arith.constant 3.000000e+00 : f32
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%arg0 :
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[V0:.*]] = arith.addf %[[X]], %[[C2]] : f32
// CHECK-NEXT: %[[V1:.*]] = arith.cmpf olt, %[[V0]], %[[C1]] : f32
// CHECK-NEXT: %[[V2:.*]] = arith.select %[[V1]], %[[C1]], %[[V0]] : f32
// CHECK-NEXT: %[[V3:.*]] = arith.cmpf ogt, %[[V2]], %[[C0]] : f32
// CHECK-NEXT: %[[V4:.*]] = arith.select %[[V3]], %[[C0]], %[[V2]] : f32
// CHECK-NEXT: %[[V5:.*]] = arith.divf %[[V4]], %[[C0]] : f32
// CHECK-NEXT: linalg.yield %[[V5]] : f32
func.func @hardsigmoid(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pocket.hardsigmoid %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @hardswish(
// CHECK-DAG: %[[C0:.*]] = arith.constant 6.000000e+00 : f32
// CHECK-DAG: %[[C1:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG: %[[C2:.*]] = arith.constant 3.000000e+00 : f32
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%arg0 :
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[V0:.*]] = arith.addf %[[X]], %[[C2]] : f32
// CHECK-NEXT: %[[V1:.*]] = arith.cmpf olt, %[[V0]], %[[C1]] : f32
// CHECK-NEXT: %[[V2:.*]] = arith.select %[[V1]], %[[C1]], %[[V0]] : f32
// CHECK-NEXT: %[[V3:.*]] = arith.cmpf ogt, %[[V2]], %[[C0]] : f32
// CHECK-NEXT: %[[V4:.*]] = arith.select %[[V3]], %[[C0]], %[[V2]] : f32
// CHECK-NEXT: %[[V5:.*]] = arith.mulf %[[X]], %[[V4]] : f32
// CHECK-NEXT: %[[V6:.*]] = arith.divf %[[V5]], %[[C0]] : f32
// CHECK-NEXT: linalg.yield %[[V6]] : f32
func.func @hardswish(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pocket.hardswish %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @silu(
// CHECK-DAG: %[[C0:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%arg0 :
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[V0:.*]] = arith.negf %[[X]] : f32
// CHECK-NEXT: %[[V1:.*]] = math.exp %[[V0]] : f32
// CHECK-NEXT: %[[V2:.*]] = arith.addf %[[V1]], %[[C0]] : f32
// CHECK-NEXT: %[[V3:.*]] = arith.divf %[[X]], %[[V2]] : f32
// CHECK-NEXT: linalg.yield %[[V3]] : f32
func.func @silu(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pocket.silu %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Above the threshold the logarithm would overflow: x itself.
// CHECK-LABEL: func.func @softplus(
// CHECK-DAG: %[[C0:.*]] = arith.constant 2.000000e+01 : f32
// CHECK-DAG: %[[C1:.*]] = arith.constant 2.000000e+00 : f32
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%arg0 :
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[V0:.*]] = arith.mulf %[[X]], %[[C1]] : f32
// CHECK-NEXT: %[[V1:.*]] = math.exp %[[V0]] : f32
// CHECK-NEXT: %[[V2:.*]] = math.log1p %[[V1]] : f32
// CHECK-NEXT: %[[V3:.*]] = arith.divf %[[V2]], %[[C1]] : f32
// CHECK-NEXT: %[[V4:.*]] = arith.cmpf ogt, %[[V0]], %[[C0]] : f32
// CHECK-NEXT: %[[V5:.*]] = arith.select %[[V4]], %[[X]], %[[V3]] : f32
// CHECK-NEXT: linalg.yield %[[V5]] : f32
func.func @softplus(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pocket.softplus %x beta = 2.0 : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Two operands.
// CHECK-LABEL: func.func @sub(
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%arg0, %arg1 :
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[V0:.*]] = arith.subf %[[X]], %[[Y]] : f32
// CHECK-NEXT: linalg.yield %[[V0]] : f32
func.func @sub(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pocket.sub %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @maximum(
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%arg0, %arg1 :
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[V0:.*]] = arith.maximumf %[[X]], %[[Y]] : f32
// CHECK-NEXT: linalg.yield %[[V0]] : f32
func.func @maximum(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pocket.maximum %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @minimum(
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%arg0, %arg1 :
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[V0:.*]] = arith.minimumf %[[X]], %[[Y]] : f32
// CHECK-NEXT: linalg.yield %[[V0]] : f32
func.func @minimum(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pocket.minimum %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @and(
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%arg0, %arg1 :
// CHECK-NEXT: ^bb0(%[[X:.*]]: i8, %[[Y:.*]]: i8, %{{.*}}: i8):
// CHECK-NEXT: %[[V0:.*]] = arith.andi %[[X]], %[[Y]] : i8
// CHECK-NEXT: linalg.yield %[[V0]] : i8
func.func @and(%x: tensor<4xi8>, %y: tensor<4xi8>) -> tensor<4xi8> {
  %0 = pocket.and %x, %y : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// CHECK-LABEL: func.func @or(
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%arg0, %arg1 :
// CHECK-NEXT: ^bb0(%[[X:.*]]: i8, %[[Y:.*]]: i8, %{{.*}}: i8):
// CHECK-NEXT: %[[V0:.*]] = arith.ori %[[X]], %[[Y]] : i8
// CHECK-NEXT: linalg.yield %[[V0]] : i8
func.func @or(%x: tensor<4xi8>, %y: tensor<4xi8>) -> tensor<4xi8> {
  %0 = pocket.or %x, %y : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// CHECK-LABEL: func.func @xor(
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%arg0, %arg1 :
// CHECK-NEXT: ^bb0(%[[X:.*]]: i8, %[[Y:.*]]: i8, %{{.*}}: i8):
// CHECK-NEXT: %[[V0:.*]] = arith.xori %[[X]], %[[Y]] : i8
// CHECK-NEXT: linalg.yield %[[V0]] : i8
func.func @xor(%x: tensor<4xi8>, %y: tensor<4xi8>) -> tensor<4xi8> {
  %0 = pocket.xor %x, %y : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// Truth values.
// CHECK-LABEL: func.func @logical_not(
// CHECK-DAG: %[[C0:.*]] = arith.constant true
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%arg0 :
// CHECK-NEXT: ^bb0(%[[X:.*]]: i1, %{{.*}}: i1):
// CHECK-NEXT: %[[V0:.*]] = arith.xori %[[X]], %[[C0]] : i1
// CHECK-NEXT: linalg.yield %[[V0]] : i1
func.func @logical_not(%m: tensor<4xi1>) -> tensor<4xi1> {
  %0 = pocket.logical_not %m : tensor<4xi1>
  return %0 : tensor<4xi1>
}

// The condition repeats along rows, the number everywhere.
// CHECK-LABEL: func.func @select(
// CHECK: linalg.generic {{.*}} ins(%arg0, %arg1, %arg2 :
// CHECK-NEXT: ^bb0(%[[X:.*]]: i1, %[[Y:.*]]: f32, %[[Z:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[V0:.*]] = arith.select %[[X]], %[[Y]], %[[Z]] : f32
// CHECK-NEXT: linalg.yield %[[V0]] : f32
func.func @select(%m: tensor<4xi1>, %x: tensor<2x4xf32>, %y: tensor<f32>) -> tensor<2x4xf32> {
  %0 = pocket.select %m, %x, %y : (tensor<4xi1>, tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// Conversions: an i1 is 0 or 1, never -1; to i1, everything but zero is true, NaN too.
// CHECK-LABEL: func.func @to_double(
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%arg0 :
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %{{.*}}: f64):
// CHECK-NEXT: %[[V0:.*]] = arith.extf %[[X]] : f32 to f64
// CHECK-NEXT: linalg.yield %[[V0]] : f64
func.func @to_double(%x: tensor<4xf32>) -> tensor<4xf64> {
  %0 = pocket.convert %x : (tensor<4xf32>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}

// CHECK-LABEL: func.func @to_half(
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%arg0 :
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %{{.*}}: f16):
// CHECK-NEXT: %[[V0:.*]] = arith.truncf %[[X]] : f32 to f16
// CHECK-NEXT: linalg.yield %[[V0]] : f16
func.func @to_half(%x: tensor<4xf32>) -> tensor<4xf16> {
  %0 = pocket.convert %x : (tensor<4xf32>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// CHECK-LABEL: func.func @to_integer(
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%arg0 :
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %{{.*}}: i32):
// CHECK-NEXT: %[[V0:.*]] = arith.fptosi %[[X]] : f32 to i32
// CHECK-NEXT: linalg.yield %[[V0]] : i32
func.func @to_integer(%x: tensor<4xf32>) -> tensor<4xi32> {
  %0 = pocket.convert %x : (tensor<4xf32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// CHECK-LABEL: func.func @to_float(
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%arg0 :
// CHECK-NEXT: ^bb0(%[[X:.*]]: i64, %{{.*}}: f32):
// CHECK-NEXT: %[[V0:.*]] = arith.sitofp %[[X]] : i64 to f32
// CHECK-NEXT: linalg.yield %[[V0]] : f32
func.func @to_float(%x: tensor<4xi64>) -> tensor<4xf32> {
  %0 = pocket.convert %x : (tensor<4xi64>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @to_bool(
// CHECK-DAG: %[[C0:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%arg0 :
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %{{.*}}: i1):
// CHECK-NEXT: %[[V0:.*]] = arith.cmpf une, %[[X]], %[[C0]] : f32
// CHECK-NEXT: linalg.yield %[[V0]] : i1
func.func @to_bool(%x: tensor<4xf32>) -> tensor<4xi1> {
  %0 = pocket.convert %x : (tensor<4xf32>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}

// CHECK-LABEL: func.func @from_bool(
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%arg0 :
// CHECK-NEXT: ^bb0(%[[X:.*]]: i1, %{{.*}}: f32):
// CHECK-NEXT: %[[V0:.*]] = arith.uitofp %[[X]] : i1 to f32
// CHECK-NEXT: linalg.yield %[[V0]] : f32
func.func @from_bool(%x: tensor<4xi1>) -> tensor<4xf32> {
  %0 = pocket.convert %x : (tensor<4xi1>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @narrow(
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%arg0 :
// CHECK-NEXT: ^bb0(%[[X:.*]]: i64, %{{.*}}: i8):
// CHECK-NEXT: %[[V0:.*]] = arith.trunci %[[X]] : i64 to i8
// CHECK-NEXT: linalg.yield %[[V0]] : i8
func.func @narrow(%x: tensor<4xi64>) -> tensor<4xi8> {
  %0 = pocket.convert %x : (tensor<4xi64>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// CHECK-LABEL: func.func @bool_to_integer(
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%arg0 :
// CHECK-NEXT: ^bb0(%[[X:.*]]: i1, %{{.*}}: i32):
// CHECK-NEXT: %[[V0:.*]] = arith.extui %[[X]] : i1 to i32
// CHECK-NEXT: linalg.yield %[[V0]] : i32
func.func @bool_to_integer(%x: tensor<4xi1>) -> tensor<4xi32> {
  %0 = pocket.convert %x : (tensor<4xi1>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
