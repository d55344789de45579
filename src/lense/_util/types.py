"""Names for the array types that travel through the package."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Int8s = NDArray[np.int8]
Int32s = NDArray[np.int32]
UInt8s = NDArray[np.uint8]
UInt32s = NDArray[np.uint32]
Int64s = NDArray[np.int64]
UInt64s = NDArray[np.uint64]
Float32s = NDArray[np.float32]
Float64s = NDArray[np.float64]
Bools = NDArray[np.bool_]
AnyArray = NDArray[Any]
