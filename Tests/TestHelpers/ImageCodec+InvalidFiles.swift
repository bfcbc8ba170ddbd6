public import Foundation
public import KingfisherImage
import KingfisherTestSupport
public import Testing

extension ImageCodec {
    /// Decodes corrupt copies of `files` in turn: an image must have the size that its header declares.
    ///
    /// - Parameters:
    ///   - body: Gets the copies with a header, and their numbers.
    ///   - range: The bytes of a copy that may change; nil for all.
    public func checkCorrupt(
        _ files: [Data], count: Int, seed: UInt64, sourceLocation: SourceLocation = #_sourceLocation,
        _ body: (_ file: Data, _ number: Int) -> Void,
        changing range: (_ file: Data, _ number: Int) -> Range<Int>? = { _, _ in nil }
    ) {
        let context = DecodingContext(limits: ImageLimits(maximumPixels: 1 << 20, maximumFrameBytes: 1 << 26))
        var random = SeededGenerator(seed: seed)
        for number in 0..<count {
            var file = files[number % files.count]
            file.corrupt(in: range(file, number), using: &random)
            context.run {
                guard let header = try? self.header(of: file) else { return }
                if let pixels = try? decode(file, minimumSize: nil) {
                    #expect(pixels.size == header.displaySize, sourceLocation: sourceLocation)
                }
                body(file, number)
            }
        }
    }

    /// Checks that sizes above the limits are refused before decoding. The file is one of HEIF or AVIF and
    /// declares `size`.
    public func checkDeclaredSizes(
        of file: Data, _ size: PixelSize, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let small = DecodingContext(limits: ImageLimits(maximumPixels: size.width * size.height - 1))
        let tooLarge = ImageCodecError.tooLarge(width: size.width, height: size.height)
        #expect(throws: tooLarge, sourceLocation: sourceLocation) { try small.run { try header(of: file) } }
        let huge = try file.replacing("ispe", at: 4, with: [0, 0, 0xEA, 0x60, 0, 0, 0xEA, 0x60])
        #expect(failure(of: huge) == .tooLarge(width: 60_000, height: 60_000), sourceLocation: sourceLocation)
        let memory = DecodingContext(limits: ImageLimits(maximumFrameBytes: size.width * size.height * 4))
        memory.run { #expect(failure(of: file) == .tooMuchMemory, sourceLocation: sourceLocation) }
    }
}
