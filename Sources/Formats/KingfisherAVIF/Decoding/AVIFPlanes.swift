import CAVIF
import Glibc
import KingfisherCodecSupport

/// The cropped planes of an opaque image, to be resampled before the conversion to RGB.
///
/// For a thumbnail of a 4:2:0 photograph that is 1.5 samples a pixel instead of a conversion of 4.
struct AVIFPlanes {
    private struct Plane {
        let rows: UnsafeMutablePointer<UInt8>
        let bytesPerRow: Int
        let size: PixelSize
    }

    private let planes: [Plane]

    /// Nil if the crop begins within a chroma sample.
    init?(_ image: UnsafePointer<avifImage>, _ crop: AVIFCrop) {
        let image = image.pointee
        let columns = image.yuvFormat == AVIF_PIXEL_FORMAT_YUV444 ? 1 : 2
        let rows = image.yuvFormat == AVIF_PIXEL_FORMAT_YUV420 ? 2 : 1
        let isGray = image.yuvFormat == AVIF_PIXEL_FORMAT_YUV400
        guard isGray || (crop.left % columns == 0 && crop.top % rows == 0) else { return nil }
        let sample = image.depth > 8 ? 2 : 1
        func plane(
            _ start: UnsafeMutablePointer<UInt8>?, _ stride: UInt32, _ columns: Int, _ rows: Int
        ) -> Plane? {
            let size = PixelSize(
                width: (crop.size.width + columns - 1) / columns,
                height: (crop.size.height + rows - 1) / rows)
            guard let start, Int(stride) % sample == 0 else { return nil }
            let offset = crop.top / rows * Int(stride) + crop.left / columns * sample
            return Plane(rows: start + offset, bytesPerRow: Int(stride), size: size)
        }
        guard let luma = plane(image.yuvPlanes.0, image.yuvRowBytes.0, 1, 1) else { return nil }
        var planes = [luma]
        if !isGray {
            guard let u = plane(image.yuvPlanes.1, image.yuvRowBytes.1, columns, rows),
                let v = plane(image.yuvPlanes.2, image.yuvRowBytes.2, columns, rows)
            else { return nil }
            planes += [u, v]
        }
        self.planes = planes
    }

    /// Calls `body` with an image of `size` in 4:4:4 or 4:0:0 and the colour description of `image`.
    func resized(
        to size: PixelSize, of image: UnsafePointer<avifImage>, by avif: kf_avif_functions,
        _ body: (UnsafePointer<avifImage>) throws(ImageCodecError) -> PixelBuffer
    ) throws(ImageCodecError) -> PixelBuffer {
        let isGray = image.pointee.yuvFormat == AVIF_PIXEL_FORMAT_YUV400
        let depth = image.pointee.depth
        let small = avif.avifImageCreate(
            UInt32(size.width), UInt32(size.height), depth,
            isGray ? AVIF_PIXEL_FORMAT_YUV400 : AVIF_PIXEL_FORMAT_YUV444)
        guard let small else { throw .outOfMemory }
        defer { avif.avifImageDestroy(small) }
        small.pointee.yuvRange = image.pointee.yuvRange
        small.pointee.colorPrimaries = image.pointee.colorPrimaries
        small.pointee.transferCharacteristics = image.pointee.transferCharacteristics
        small.pointee.matrixCoefficients = image.pointee.matrixCoefficients
        _ = avif.avifImageAllocatePlanes(small, avifPlanesFlags(AVIF_PLANES_YUV.rawValue))
        let targets = [
            (small.pointee.yuvPlanes.0, small.pointee.yuvRowBytes.0),
            (small.pointee.yuvPlanes.1, small.pointee.yuvRowBytes.1),
            (small.pointee.yuvPlanes.2, small.pointee.yuvRowBytes.2),
        ]
        for (plane, target) in zip(planes, targets) {
            guard let rows = target.0 else { throw .outOfMemory }
            try Self.resize(plane, to: size, depth: Int(depth), into: rows, Int(target.1))
        }
        return try body(small)
    }

    private static func resize(
        _ plane: Plane, to size: PixelSize, depth: Int, into target: UnsafeMutablePointer<UInt8>,
        _ targetStride: Int
    ) throws(ImageCodecError) {
        let format = PixelFormat(layout: .gray, depth: depth > 8 ? .sixteen : .eight, alpha: .opaque)
        let small = try PixelBuffer(
            adopting: plane.rows, width: plane.size.width, height: plane.size.height,
            bytesPerRow: plane.bytesPerRow, format: format, release: { _ in }
        ).resized(to: size)
        small.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            for y in 0..<size.height {
                let row = target + y * targetStride
                memcpy(row, base + y * small.bytesPerRow, size.width * format.bytesPerPixel)
                guard depth > 8 else { continue }
                // The filter overshoots; samples above the depth would index past libavif's tables.
                let limit = UInt16(1 << depth - 1)
                row.withMemoryRebound(to: UInt16.self, capacity: size.width) { samples in
                    for x in 0..<size.width where samples[x] > limit { samples[x] = limit }
                }
            }
        }
    }
}
