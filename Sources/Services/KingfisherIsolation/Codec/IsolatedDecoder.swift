import KingfisherImage

/// A file that a decoder process has opened, and what was stated about it.
///
/// The process keeps the opened file while no other caller needs the process. Afterwards, the next call opens
/// the file again, in any process.
struct IsolatedDecoder: ImageDecoder {
    private let file: IsolatedFile
    private let description: FileDescription
    private let reservation: FileReservation

    init(_ file: IsolatedFile) throws(ImageCodecError) {
        self.file = file
        reservation = file.pool.group(file.access).reservation(for: file.encoded)
        guard case .description(let description) = try Exchange(.open, file).run() else { throw .emptyImage }
        self.description = description
        // A file that is decoded at any size is limited by the target.
        if header.scalableSize == nil { try file.limits.check(header.size) }
    }

    var header: ImageHeader { description.header }
    var endsEarly: Bool { description.endsEarly }

    /// The process's estimate, but at least the pixels that it may return for this target, and at most the
    /// limit.
    func memory(for target: DecodingTarget) -> Int {
        let pixels = PixelBound(target, of: header).byteCount(of: header)
        return min(max(estimate(for: target), pixels), file.limits.maximumFrameBytes)
    }

    /// If the process fails, the estimate for the whole image: decoding will probably fail as well.
    private func estimate(for target: DecodingTarget) -> Int {
        guard target != .full, case .number(let estimate)? = try? result(of: .memory(target)) else {
            return description.memory
        }
        return estimate
    }

    func decode(_ target: DecodingTarget) throws(ImageCodecError) -> PixelBuffer {
        if case .exactly(let size) = target { try file.limits.check(size) }
        return try Exchange(.decode(target), file, header: header).pixels()
    }

    func frames() throws(ImageCodecError) -> (any ImageFrameSource)? {
        guard header.timing != nil, case .frames(let frames?) = try result(of: .frames) else { return nil }
        try file.limits.check(frames: frames.durations.count, of: header.displaySize)
        let source =
            try frames.file.map { data throws(ImageCodecError) in
                let part = try IsolatedDecoder(file.with(data))
                guard part.header.displaySize == header.displaySize else {
                    throw .corrupt("frames of another size")
                }
                return IsolatedFrameSource(part.file, part.header, frames)
            } ?? IsolatedFrameSource(file, header, frames)
        try source.decodeFirst()
        return source
    }

    func metadata() throws(ImageCodecError) -> ImageMetadataBlocks {
        guard case .metadata(let blocks) = try result(of: .metadata) else { throw .emptyImage }
        return blocks
    }

    private func result(of operation: Operation) throws(ImageCodecError) -> Exchange.Result {
        try Exchange(operation, file, header: header).run()
    }
}
