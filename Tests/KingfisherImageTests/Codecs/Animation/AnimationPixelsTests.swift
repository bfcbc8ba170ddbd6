import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherImage

/// The limit on the total pixels of all frames of an animation.
@Suite struct AnimationPixelsTests {
    private func limited<Value>(_ pixels: Int, _ body: () throws -> Value) rethrows -> Value {
        var limits = ImageLimits()
        limits.maximumAnimationPixels = pixels
        return try DecodingContext(limits: limits).run(body)
    }

    static let names = ["GIF/disposal-mixed.gif", "APNG/mixed.apng"]

    @Test("An animation above the total pixel limit is refused before a frame is composed", arguments: names)
    func refusal(name: String) throws {
        var file = try Fixtures.data(named: name)
        let header = try ImageCodecs.open(file).header
        let pixels = header.size.area * header.frameCount
        #expect(limited(pixels) { ImageCodecs.fault(in: file) } == nil)
        // The data of the first frame are corrupt, so composing it would fail differently.
        let place =
            name.hasPrefix("GIF") ? file.count / 3 : try #require(file.offset(of: Array("IDAT".utf8))) + 9
        if !name.hasPrefix("GIF") { file[place] ^= 0xFF }
        limited(pixels - 1) {
            #expect(throws: ImageCodecError.tooManyAnimationPixels) { try Image.decode(file) }
            let fault = ImageCodecs.fault(in: file)
            #expect(fault?.hasSuffix("of ImageLimits.maximumAnimationPixels") == true)
        }
    }

    @Test("An animation above the total pixel limit still yields a still and its header", arguments: names)
    func stills(name: String) throws {
        let file = try Fixtures.data(named: name)
        let codec = try #require(ImageCodecs.codec(for: file))
        let first = try codec.decode(file, minimumSize: nil)
        try limited(1) {
            #expect(try codec.header(of: file).frameCount > 1)
            #expect(try codec.decode(file, minimumSize: nil).packedBytes == first.packedBytes)
            let small = try Image.downsample(file, to: CGSize(width: 5, height: 5), scale: 1)
            #expect(max(small.size.width, small.size.height) == 5)
            let still = try Image.decode(file, options: ImageCreatingOptions(onlyFirstFrame: true))
            #expect(still.pixels?.packedBytes == first.packedBytes)
            #expect(still.kf.animatedData == nil && still.storableFrames == nil)
        }
    }

    @Test("An animation above the total pixel limit is not encoded; a single frame only has the frame limit")
    func writing() throws {
        let frames = try #require(try Image.decode(Fixtures.data(named: Self.names[0])).kf.frameSource)
        let area = try #require(frames.frame(at: 0)).size.area
        for codec in [GIFCodec(), APNGCodec()] as [any ImageCodec] {
            try limited(area * frames.frameCount) {
                let file = try codec.encode(frames, options: ImageEncodingOptions())
                #expect(file != nil)
            }
            _ = limited(area * frames.frameCount - 1) {
                #expect(throws: ImageCodecError.tooManyAnimationPixels) {
                    try codec.encode(frames, options: ImageEncodingOptions())
                }
            }
        }
        let single = try Fixtures.data(named: "GIF/single.gif")
        _ = limited(1) { #expect(throws: Never.self) { try Image.decode(single) } }
    }

    @Test("Failed memory allocation is reported as such, not as an exceeded limit")
    func outOfMemory() async {
        await #expect(processExitsWith: .success) {
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
            limit.rlim_cur = rlim_t(ProcessStatus.virtualBytes + (64 << 20))
            setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
            let file = try HostilePNG.zeros(9_999, 9_999, depth: 8, colorType: 6)
            precondition(
                ImageCodecs.fault(in: file) == "there is not enough memory for the PNG",
                ImageCodecs.fault(in: file) ?? "nil")
        }
    }
}
