internal import Glibc
let xf = getenv("XF") != nil
