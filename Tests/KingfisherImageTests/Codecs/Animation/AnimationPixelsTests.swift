import Foundation
import KingfisherTestSupport
import Testing

@testable import KingfisherImage

/// The limit on the pixels of all frames of an animation together.
@Suite struct AnimationPixelsTests {
    private func limited<Value>(_ pixels: Int, _ body: () throws -> Value) rethrows -> Value {
        var limits = ImageLimits()
        limits.maximumAnimationPixels = pixels
        return try DecodingContext(limits: limits).run(body)
    }

    static let names = ["GIF/disposal-mixed.gif", "APNG/mixed.apng"]

    @Test("Frames that are too large for their number are refused before one is composed", arguments: names)
    func refusal(name: String) throws {
        var file = try Fixtures.data(named: name)
        let header = try ImageCodecs.header(of: file)
        let pixels = header.size.area * header.frameCount
        #expect(limited(pixels) { ImageCodecs.fault(in: file) } == nil)
        // The first frame's data are damaged: composing it would find that.
        let place =
            name.hasPrefix("GIF") ? file.count / 3 : try #require(file.offset(of: Array("IDAT".utf8))) + 9
        if !name.hasPrefix("GIF") { file[place] ^= 0xFF }
        limited(pixels - 1) {
            #expect(throws: ImageCodecError.tooManyAnimationPixels) { try Image.decode(file) }
            let fault = ImageCodecs.fault(in: file)
            #expect(fault?.hasSuffix("of ImageLimits.maximumAnimationPixels") == true)
        }
    }

    @Test("A still of such a file can be had, and its header be read", arguments: names)
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

    @Test("Such an animation is not written either; a single frame is held to the limit of a frame")
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

    @Test("Memory that the system has not is no limit of ours, and said to be no size")
    func outOfMemory() async {
        await #expect(processExitsWith: .success) {
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
            limit.rlim_cur = rlim_t(ProcessFacts.virtualBytes + (64 << 20))
            setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
            let file = try HostilePNG.zeros(9_999, 9_999, depth: 8, colorType: 6)
            precondition(
                ImageCodecs.fault(in: file) == "there is not enough memory for the PNG",
                ImageCodecs.fault(in: file) ?? "nil")
        }
    }
}
