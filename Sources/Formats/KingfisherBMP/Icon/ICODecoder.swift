import KingfisherCodecSupport

/// One icon or cursor file, whose directory and largest image have been opened.
struct ICODecoder: ImageDecoder {
    private let directory: ICODirectory
    private let main: ICOImage

    init(_ file: EncodedFile) throws(ImageCodecError) {
        directory = try ICODirectory(file)
        main = try directory.main()
    }

    var header: ImageHeader { main.decoder.header }

    func memory(for target: DecodingTarget) -> Int {
        // Without an image, `decode` throws at once.
        (try? image(for: target).memory(for: target)) ?? 0
    }

    func decode(_ target: DecodingTarget) throws(ImageCodecError) -> PixelBuffer {
        try image(for: target).decode(target)
    }

    private func image(for target: DecodingTarget) throws(ImageCodecError) -> any ImageDecoder {
        guard let size = target.size else { return main.decoder }
        return try directory.image(covering: size, insteadOf: main).decoder
    }
}
