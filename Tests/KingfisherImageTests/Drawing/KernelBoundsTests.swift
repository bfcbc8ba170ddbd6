import CKernels
import KingfisherTestSupport
import Testing

@testable import KingfisherImage

/// Strides and addresses that no `PixelBuffer` has, in memory that ends with the last sample: the Address
/// Sanitizer sees every read and write beyond.
@Suite struct KernelBoundsTests {
    private let widths = [1, 3, 7, 8, 9, 17, 33]

    private func bytes(_ count: Int) -> [UInt8] {
        var generator = SeededGenerator(seed: UInt64(count))
        return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }

    @Test(arguments: KernelLevel.supported) func rowsAreReadInsideOddStrides(level: KernelLevel) {
        for width in widths {
            let (stride, height) = (width * 4 + 3, 11)
            let source = bytes(stride * (height - 1) + width * 4)
            let table = LanczosTable.Fixed(
                LanczosTable(source: SampledAxis(pixels: height, box: 1), target: 5))
            table.withTaps { taps in
                for row in 0..<5 {
                    var plain = [Int16](repeating: 0, count: width * 4)
                    var fast = plain
                    kf_resize_rows(KF_SCALAR, source, stride, width * 4, taps, Int32(row), &plain)
                    kf_resize_rows(level.native, source, stride, width * 4, taps, Int32(row), &fast)
                    #expect(plain == fast)
                }
            }
        }
    }

    @Test(arguments: KernelLevel.supported) func columnsAreReadNoFurtherThanTheyMay(level: KernelLevel) {
        for width in widths {
            let table = LanczosTable.Fixed(
                LanczosTable(source: SampledAxis(pixels: width, box: 1), target: width * 2 / 3 + 1))
            let count = table.first.count
            let slack = (table.stride - table.taps) * 4
            for rows in 1...4 {
                let stride = width * 4 + slack + 1
                let source = bytes(stride * (rows - 1) + width * 4 + slack).map { Int16($0) << 6 }
                var plain = [UInt8](repeating: 0, count: (count * 4 + 1) * rows - 1)
                var fast = plain
                table.withTaps { taps in
                    kf_resize_columns(
                        KF_SCALAR, source, stride, Int32(rows), 4, taps, &plain, count * 4 + 1)
                    kf_resize_columns(
                        level.native, source, stride, Int32(rows), 4, taps, &fast, count * 4 + 1)
                }
                #expect(plain == fast)
            }
        }
    }

    @Test(arguments: KernelLevel.supported) func boxesEndWithThePicture(level: KernelLevel) {
        for width in widths {
            for across in 2...4 {
                let (stride, rows) = (width * 4 + 1, 3)
                let source = bytes(stride * (rows - 1) + width * 4)
                var sums = [UInt16](repeating: 0, count: width * 4)
                var plain = [UInt8](repeating: 0, count: (width + across - 1) / across * 4)
                var fast = plain
                kf_shrink_row(
                    KF_SCALAR, source, stride, Int32(width), 3, Int32(across), 4, &sums, &plain)
                kf_shrink_row(
                    level.native, source, stride, Int32(width), 3, Int32(across), 4, &sums, &fast)
                #expect(plain == fast)
            }
        }
    }

    @Test(arguments: KernelLevel.supported) func blurStaysInside(level: KernelLevel) {
        for width in widths {
            let (stride, height) = (width * 4 + 2, 9)
            let source = bytes(stride * (height - 1) + width * 4)
            let scratch = Scratch(byteCount: max(width, height) * 64)
            var plain = source
            var fast = source
            kf_box_blur(KF_SCALAR, &plain, Int32(width), Int32(height), stride, 4, 3, scratch.bytes)
            kf_box_blur(level.native, &fast, Int32(width), Int32(height), stride, 4, 3, scratch.bytes)
            #expect(plain == fast)
            // The bytes between the rows are nobody's.
            for row in 0..<height - 1 {
                #expect(plain[row * stride + width * 4] == source[row * stride + width * 4])
            }
        }
    }

    @Test(arguments: KernelLevel.supported) func premultiplyStaysInside(level: KernelLevel) {
        for width in widths {
            let source = bytes(width * 4)
            var plain = [UInt8](repeating: 0, count: width * 4)
            var fast = plain
            kf_premultiply8(source, width, 4, &plain)
            kf_premultiply_rgba8(level.native, source, width, &fast)
            #expect(plain == fast)
        }
    }
}
