import CHEIF
import KingfisherCodecSupport

/// The planes of an opaque image, shrunk while they are decoded and converted to RGB afterwards.
///
/// For a thumbnail of a 4:2:0 photograph that is 1.5 samples a pixel instead of a conversion of 4, and no
/// image of the full size. Not for concurrent use.
final class HEICPlaneShrink {
    private let image: HEICImage
    private let target: PixelSize
    private let chroma: HEICImage.Chroma
    /// Whether the result is so small that the filters at the edges of blocks do not matter.
    let isSmall: Bool
    private var pieces: [RowPieces] = []
    private var planes: [PixelBuffer] = []
    /// The size of the frame that is expected next, and the place of its first pixel in the stored image.
    private var frameSize: PixelSize
    private var origin = (x: 0, y: 0)
    private var isDecoded = false
    private var failure: ImageCodecError?
    private var matrix: kf_heif_matrix?
    private var codePoints: (matrix: Int, isFullRange: Bool) = (2, true)

    /// `target` is the size in the stored orientation.
    init(_ image: HEICImage, to target: PixelSize) {
        (self.image, self.target) = (image, target)
        chroma = image.chroma ?? .gray
        frameSize = image.stored
        isSmall = 4 * target.width <= image.size.width && 4 * target.height <= image.size.height
    }

    /// How our decoder works for these planes; valid as long as they are.
    var work: kf_heif_work {
        var work = kf_heif_work()
        work.limit = Int64((image.grid?.cell ?? image.stored).area)
        work.user = Unmanaged.passUnretained(self).toOpaque()
        work.take = { frame, user in
            guard let user else { return }
            Unmanaged<HEICPlaneShrink>.fromOpaque(user).takeUnretainedValue().put(frame.pointee)
        }
        return work
    }

    private var isGray: Bool { chroma == .gray }

    private var planeFormat: PixelFormat { image.planeFormat }

    private func scale(of plane: Int) -> (columns: Int, rows: Int) {
        plane == 0 ? (1, 1) : (chroma.columns, chroma.rows)
    }

    /// Calls `decode`, which puts the frame and its matrix; returns false if there is no formula for that.
    func fill(_ decode: () throws(ImageCodecError) -> Void) throws(ImageCodecError) -> Bool {
        try withoutActuallyEscaping(decode) { decode throws(ImageCodecError) in
            try fill(plane: 0, beside: image.frameMemory, decode)
        }
        return matrix != nil
    }

    private func fill(
        plane: Int, beside others: Int, _ decode: @escaping () throws(ImageCodecError) -> Void
    ) throws(ImageCodecError) {
        guard plane < image.planes else { return try decode() }
        let size = image.size(of: plane, in: image.size)
        let minimum = target.doubled
        let bytes = PixelBuffer.memoryOfRows(size, format: planeFormat, minimumSize: minimum)
        let result = try PixelBuffer.decodingPieces(
            size, format: planeFormat, minimumSize: minimum, beside: others
        ) { pieces throws(ImageCodecError) in
            self.pieces.append(pieces)
            try fill(plane: plane + 1, beside: others + bytes, decode)
        }
        planes.append(result)
    }

    /// Expects the frame of a cell next.
    func beginCell(_ number: Int, of grid: HEICGrid) {
        (frameSize, origin, isDecoded) = (grid.cell, grid.origin(of: number), false)
    }

    /// Throws if the frame did not arrive as declared.
    func checkFrame() throws(ImageCodecError) {
        if let failure { throw failure }
        guard isDecoded else { throw .corrupt("libde265 decodes no frame") }
    }

    func put(_ frame: kf_heif_frame) {
        isDecoded = true
        codePoints = (Int(frame.matrix), frame.full_range != 0)
        guard Int(frame.count) == pieces.count else {
            return failure = .corrupt("another number of planes than declared")
        }
        let starts = [frame.planes.0, frame.planes.1, frame.planes.2]
        let strides = [frame.strides.0, frame.strides.1, frame.strides.2]
        let widths = [frame.widths.0, frame.widths.1, frame.widths.2]
        let heights = [frame.heights.0, frame.heights.1, frame.heights.2]
        let depths = [frame.depths.0, frame.depths.1, frame.depths.2]
        for plane in pieces.indices {
            guard let start = starts[plane], Int(depths[plane]) == image.bitsPerComponent,
                PixelSize(width: Int(widths[plane]), height: Int(heights[plane]))
                    == image.size(of: plane, in: frameSize)
            else { return failure = .corrupt("another size or depth than declared") }
            put(start, Int(strides[plane]), to: plane)
        }
    }

    /// Puts the part of a plane of the frame that is shown.
    private func put(_ start: UnsafePointer<UInt8>, _ stride: Int, to plane: Int) {
        let (columns, rows) = scale(of: plane)
        let (whole, part) = (image.size(of: plane, in: image.size), image.size(of: plane, in: frameSize))
        let (left, top) = ((origin.x - image.area.left) / columns, (origin.y - image.area.top) / rows)
        let (first, last) = (max(0, -left), min(part.width, whole.width - left))
        guard first < last else { return }
        let bytes = planeFormat.bytesPerPixel
        for row in max(0, -top)..<max(0, -top, min(part.height, whole.height - top)) {
            pieces[plane].put(last - first, x: left + first, y: top + row) { target in
                target.copyMemory(
                    from: start + row * stride + first * bytes, byteCount: (last - first) * bytes)
            }
        }
    }

    // MARK: Colours

    /// The formula for the matrix of the container, or else of the bitstream.
    func findMatrix(codePoints container: ImageMetadata.CodePoints?) {
        if let container { codePoints = (container.matrix, container.isFullRange) }
        // Greyscale has no chroma to weight.
        matrix = Self.matrix(isGray ? 6 : codePoints.matrix).map {
            kf_heif_matrix(
                red: $0.red, blue: $0.blue, full_range: codePoints.isFullRange ? 1 : 0,
                depth: Int32(image.bitsPerComponent))
        }
    }

    /// KR and KB (ITU-T H.273, table 4); the values of BT.601 without a specification, as in libheif.
    private static func matrix(_ codePoint: Int) -> (red: Float, blue: Float)? {
        switch codePoint {
        case 1: (0.2126, 0.0722)
        case 2, 5, 6: (0.299, 0.114)
        case 7: (0.212, 0.087)
        case 9: (0.2627, 0.0593)
        default: nil
        }
    }

    /// The first plane, which is finished last, at its own size.
    var luma: PixelBuffer? { planes.last }

    /// Opaque RGBA of the target's size.
    func pixels() throws(ImageCodecError) -> PixelBuffer {
        // The innermost plane is the first one that is finished.
        var small: [PixelBuffer] = []
        for plane in planes.reversed() { small.append(try plane.resized(to: target)) }
        return try PixelBuffer.decoding(target, format: image.format) { rows, bytesPerRow in
            withRows(of: small) { starts in
                for y in 0..<target.height {
                    let sources = starts.map { $0 + y * small[0].bytesPerRow }
                    convert(sources, rows + y * bytesPerRow)
                }
            }
        }
    }

    private func withRows(of images: [PixelBuffer], _ body: ([UnsafeRawPointer]) -> Void) {
        func next(_ starts: [UnsafeRawPointer]) {
            guard starts.count < images.count else { return body(starts) }
            images[starts.count].withUnsafeBytes { bytes in
                if let start = bytes.baseAddress { next(starts + [start]) }
            }
        }
        next([])
    }

    private func convert(_ rows: [UnsafeRawPointer], _ target: UnsafeMutableRawPointer) {
        guard var matrix else { return }
        func row<Sample>(_ index: Int, _ type: Sample.Type) -> UnsafePointer<Sample>? {
            rows.indices.contains(index) ? rows[index].assumingMemoryBound(to: type) : nil
        }
        let count = self.target.width
        if planeFormat.depth == .sixteen {
            guard let luma = row(0, UInt16.self) else { return }
            kf_heif_rgba16(
                &matrix, luma, row(1, UInt16.self), row(2, UInt16.self), count,
                target.assumingMemoryBound(to: UInt16.self))
        } else {
            guard let luma = row(0, UInt8.self) else { return }
            kf_heif_rgba8(
                &matrix, luma, row(1, UInt8.self), row(2, UInt8.self), count,
                target.assumingMemoryBound(to: UInt8.self))
        }
    }
}
