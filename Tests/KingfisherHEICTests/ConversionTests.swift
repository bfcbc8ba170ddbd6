import CHEIF
import Testing

@Suite("HEIC: conversion of YCbCr") struct ConversionTests {
    /// Samples of which fused operations make another green: the results are next to a half.
    @Test(
        "Every operation is rounded, as in Swift",
        arguments: [[176, 4, 181], [6, 15, 81], [55, 44, 229]] as [[UInt8]])
    func rounding(samples: [UInt8]) {
        // BT.709 in the narrow range (ITU-T H.273).
        var matrix = kf_heif_matrix(red: 0.2126, blue: 0.0722, full_range: 0, depth: 8)
        var pixel = [UInt8](repeating: 0, count: 4)
        kf_heif_rgba8(&matrix, [samples[0]], [samples[1]], [samples[2]], 1, &pixel)

        let green = 1 - matrix.red - matrix.blue
        let (toCb, toCr): (Float, Float) = (2 - 2 * matrix.blue, 2 - 2 * matrix.red)
        let luma: Float = (Float(samples[0]) - 16) * (255 / 219)
        let fromCb: Float = (-255 * toCb * matrix.blue / green / 224) * (Float(samples[1]) - 128)
        let fromCr: Float = (-255 * toCr * matrix.red / green / 224) * (Float(samples[2]) - 128)
        let sum: Float = luma + fromCb + fromCr
        #expect(pixel[1] == UInt8(max(0, min(sum, 255)) + 0.5))
    }
}
