import Foundation

/// The structure of an animated PNG without its pixels: the positions and controls of its frames.
struct APNGIndex: Sendable {
    let header: PNGFileHeader
    let frames: [APNGFrame]
    let loopCount: Int
    let isOpaque: Bool
    let orientation: Image.Orientation
    private let colors: [PNGChunk]

    var canvas: PixelSize { header.size }

    /// Reads every chunk up to IEND. Checks limits and checksums, except checksums of pixel data, which are
    /// checked when a frame is decoded.
    init(scanning reader: ByteReader) throws(ImageCodecError) {
        header = try PNGFileHeader(scanning: reader)
        try reader.limits.check(header.size)
        var chunks = PNGChunks(reader)
        try PNGChecksum.check(try chunks.next(), in: reader)
        let scan = try APNGScan(reader, canvas: header.size)
        frames = scan.frames
        loopCount = scan.loopCount
        colors = scan.colorChunks
        orientation = PNGMetadata.orientation(in: reader)
        guard let first = frames.first?.control else { throw .corrupt("no frame") }
        isOpaque =
            !header.hasAlpha && first.covers(header.size) && first.disposal != .previous
            && frames.dropLast().allSatisfy { $0.control.disposal != .background }
        if frames.count > 1 { try reader.limits.check(canvas: canvas, format: pixelFormat) }
    }

    var timing: AnimationTiming {
        AnimationTiming(durations: frames.map(\.control.delay), loopCount: loopCount)
    }

    var pixelFormat: PixelFormat {
        PixelFormat(layout: .rgba, depth: header.pixelFormat.depth, alpha: isOpaque ? .opaque : .straight)
    }

    func header(of frame: APNGFrame) -> PNGFileHeader {
        var header = header
        header.size = frame.control.size
        return header
    }

    /// The frame as a separate PNG file, without checksums: the checksums of its data were checked before.
    func file(of frame: APNGFrame, in reader: ByteReader) throws(ImageCodecError) -> Data {
        guard let ending = reader.slice(at: 24, count: 5) else { throw .truncated }
        var file = PNGAssembly(hasChecksums: false)
        let size = frame.control.size
        file.append(
            .IHDR,
            fields: UInt32(clamping: size.width).bigEndianBytes
                + UInt32(clamping: size.height).bigEndianBytes,
            payload: [ending.bytes])
        for chunk in colors {
            file.append(chunk.type, payload: [try Self.data(of: chunk, in: reader)])
        }
        file.append(.IDAT, payload: try pixelData(of: frame, in: reader))
        file.append(.IEND)
        return file.data
    }

    private func pixelData(
        of frame: APNGFrame, in reader: ByteReader
    ) throws(ImageCodecError) -> [UnsafeRawBufferPointer] {
        var pieces: [UnsafeRawBufferPointer] = []
        var total = 0
        var chunks = PNGChunks(reader, from: frame.firstDataChunkOffset)
        while true {
            let chunk = try chunks.next()
            if chunk.type == frame.dataType {
                try PNGChecksum.check(chunk, in: reader)
                let data = try Self.data(of: chunk, in: reader)
                // An fdAT chunk starts with a sequence number.
                pieces.append(
                    frame.dataType == .fdAT ? UnsafeRawBufferPointer(rebasing: data.dropFirst(4)) : data)
                total += data.count
                guard total <= Int(Int32.max) else {
                    throw .unsupported("a frame of more than two gigabytes")
                }
            } else if frame.dataType == .IDAT || chunk.type == .fcTL || chunk.type == .IEND {
                return pieces
            }
        }
    }

    private static func data(
        of chunk: PNGChunk, in reader: ByteReader
    ) throws(ImageCodecError) -> UnsafeRawBufferPointer {
        guard let data = reader.slice(at: chunk.data, count: chunk.length) else { throw .truncated }
        return data.bytes
    }
}
