import Foundation
import KingfisherImage
import TestHelpers
import Testing

@testable import KingfisherIsolation

/// What a codec answers about a file in this process and in a decoder process.
struct Comparison {
    let name: String
    let data: Data
    let codec: any ImageCodec
    let isolated: IsolatedCodec

    init(_ name: String, _ data: Data, _ codec: any ImageCodec, pool: DecoderPool) {
        let access: DecoderAccess = codec.format.name == "SVG" ? .fonts : .nothing
        (self.name, self.data, self.codec) = (name, data, codec)
        isolated = IsolatedCodec(codec, access: access, pool: pool)
    }

    /// Compares everything that a program asks about a file. Small images are decoded to those of `targets`
    /// that are smaller than the file. Returns the number of frames; 0 for a still.
    @discardableResult
    func run(_ targets: [PixelSize]) -> Int {
        equal { codec throws(ImageCodecError) in try codec.header(of: data) }
        equal { codec throws(ImageCodecError) in try codec.metadataBlocks(of: data) }
        equal { codec throws(ImageCodecError) in codec.endsEarly(data) }
        compareMemory(nil)
        for accepts in [false, true] {
            equal { codec throws(ImageCodecError) in
                try codec.header(of: data, acceptsPartialImages: accepts)
            }
            pixels { codec throws(ImageCodecError) in
                try codec.decode(data, minimumSize: nil, acceptsPartialImages: accepts)
            }
        }
        let size = (try? codec.header(of: data))?.displaySize ?? PixelSize(width: 0, height: 0)
        for target in targets where target.width < size.width && target.height < size.height {
            compareMemory(target)
            pixels { codec throws(ImageCodecError) in try codec.decode(data, minimumSize: target) }
            pixels { codec throws(ImageCodecError) in try codec.decode(data, shrunkTo: target) }
        }
        return compareFrames()
    }

    /// With the metadata of `blocks`.
    func replaceMetadata(by blocks: ImageMetadataBlocks) {
        equal { codec throws(ImageCodecError) in try codec.replacingMetadata(of: data, with: blocks) }
    }

    private func result<Value>(
        _ body: () throws(ImageCodecError) -> Value
    ) -> Result<Value, ImageCodecError> {
        Result { () throws(ImageCodecError) in try body() }
    }

    private func equal<Value: Equatable>(
        _ body: (any ImageCodec) throws(ImageCodecError) -> Value, line: Int = #line
    ) {
        let here = result { () throws(ImageCodecError) in try body(codec) }
        let there = result { () throws(ImageCodecError) in try body(isolated) }
        #expect(here == there, "\(name), line \(line)")
    }

    private func pixels(
        _ body: (any ImageCodec) throws(ImageCodecError) -> PixelBuffer, line: Int = #line
    ) {
        let here = result { () throws(ImageCodecError) in try body(codec) }
        let there = result { () throws(ImageCodecError) in try body(isolated) }
        switch (here, there) {
        case (.success(let first), .success(let second)):
            #expect(same(first, second), "\(name), line \(line)")
        case (.failure(let first), .failure(let second)):
            #expect(first == second, "\(name), line \(line)")
        default: Issue.record("\(name), line \(line): \(here) in process, \(there) in the decoder")
        }
    }

    /// The program reserves at least what the codec estimates, and at least the pixels.
    private func compareMemory(_ target: PixelSize?) {
        let here = result { () throws(ImageCodecError) in
            try codec.decodingMemory(of: data, target: target)
        }
        let there = result { () throws(ImageCodecError) in
            try isolated.decodingMemory(of: data, target: target)
        }
        switch (here, there) {
        case (.success(let estimate), .success(let reserved)):
            #expect(reserved >= min(estimate, ImageLimits.maximumFrameBytes), "\(name)")
        case (.failure(let first), .failure(let second)): #expect(first == second, "\(name)")
        default: Issue.record("\(name): \(here) in process, \(there) in the decoder")
        }
    }

    /// In any order and after a copy.
    private func compareFrames() -> Int {
        guard let source = try? codec.frameSource(for: data) else {
            let other = result { () throws(ImageCodecError) in try isolated.frameSource(for: data) == nil }
            #expect(other != .success(false), "\(name)")
            return 0
        }
        let there = result { () throws(ImageCodecError) in try isolated.frameSource(for: data) }
        guard case .success(let other?) = there else {
            Issue.record("\(name): \(there)")
            return 0
        }
        #expect(source.frameCount == other.frameCount && source.loopCount == other.loopCount, "\(name)")
        for index in [0, 1, source.frameCount - 1, 0] {
            #expect(source.duration(at: index) == other.duration(at: index))
            #expect(same(source.frame(at: index), other.frame(at: index)), "\(name) \(index)")
            let small = CGSize(width: 9, height: 9)
            #expect(
                same(
                    source.frame(at: index, maxSize: small), other.copy().frame(at: index, maxSize: small)),
                "\(name) \(index)")
        }
        #expect(other.frame(at: source.frameCount) == nil && other.frame(at: -1) == nil)
        return source.frameCount
    }
}
