import Foundation
import KingfisherCodecSupport
import KingfisherJPEGXL
import KingfisherTestSupport
import TestHelpers
import Testing

@Suite("JPEG XL: invalid files", .enabled(if: Tools.arePresent))
struct InvalidFileTests {
    static let kinds: [[String]] = [[], ["--container=1"], ["-d", "1"], ["-d", "1", "-p", "--container=1"]]

    @Test("A file that ends early is truncated, at every length", arguments: InvalidFileTests.kinds)
    func truncated(_ options: [String]) throws {
        let file = try Tools.encode(TestImages.gradients(), options)
        #expect(failure(of: file) == nil)
        #expect(!JPEGXLCodec().endsEarly(file))
        let lengths = Array(12..<file.count)
        // The last bytes may be padding, which no pixel needs.
        let failures = lengths.map { failure(of: file.prefix($0)) }
        #expect(failures.dropLast(2).allSatisfy { $0 == .truncated })
        #expect(
            lengths.dropLast(2).filter { $0 > 100 }.allSatisfy { JPEGXLCodec().endsEarly(file.prefix($0)) })
        for length in 0..<12 { #expect(failure(of: file.prefix(length)) != nil) }
    }

    @Test("A truncated file has its complete tiles, if partial images are accepted")
    func partial() throws {
        let image = try Samples.noise(521, 515)
        for (alpha, options) in [(false, ["-d", "0"]), (false, ["-d", "1"]), (true, ["-d", "0"])] {
            let image = alpha ? try TestImages.gradients(521, 515, alpha: true) : image
            let file = try Tools.encode(image, options)
            let whole = try PixelGrid(decode(file))
            let half = file.prefix(file.count * 3 / 4)
            #expect(failure(of: half) == .truncated)
            let part = try PixelGrid(JPEGXLCodec().decode(half, minimumSize: nil, acceptsPartialImages: true))
            #expect(part.height == 515)
            // The first tile, without the pixels that filters share with others.
            #expect(part.begins(200, as: whole))
            #expect(part.pixel(x: 520, y: 514) != whole.pixel(x: 520, y: 514))
            if !alpha { #expect(part.pixel(x: 520, y: 514).last == 255) }
        }
        let start = try Tools.encode(image).prefix(40)
        let empty = try JPEGXLCodec().decode(start, minimumSize: nil, acceptsPartialImages: true)
        #expect(empty.samples(x: 100, y: 100) == [0, 0, 0, 255])
    }

    @Test("Declared sizes above the limit are refused before decoding")
    func sizes() throws {
        let file = try Tools.encode(TestImages.gradients())
        let small = DecodingContext(limits: ImageLimits(maximumPixels: 64 * 48 - 1))
        #expect(throws: ImageCodecError.tooLarge(width: 64, height: 48)) {
            try small.run { try JPEGXLCodec().header(of: file) }
        }
        // SizeHeader of 18181-1: not small, height of 30 bits, the ratio 1:1, all of metadata default.
        let side = (1 << 30) - 1
        var bits = [0, 1, 1]
        bits += (0..<30).map { side >> $0 & 1 } + [1, 0, 0, 1]
        bits += [Int](repeating: 0, count: 64)
        var huge: [UInt8] = [0xFF, 0x0A]
        for start in stride(from: 0, to: bits.count - 7, by: 8) {
            huge.append((0..<8).reduce(0) { $0 | UInt8(bits[start + $1]) << $1 })
        }
        #expect(failure(of: Data(huge)) == .tooLarge(width: 1 << 30, height: 1 << 30))
    }

    @Test(
        "Memory of the pixels and of libjxl is limited together",
        arguments: [["-d", "1"], ["-d", "1", "-p"], ["-d", "0", "-p"]])
    func memory(_ options: [String]) throws {
        let file = try Tools.encode(TestImages.gradients(400, 300), options)
        let needed = try JPEGXLCodec().decodingMemory(of: file, target: nil)
        #expect(needed > 400 * 300 * 4)
        let enough = DecodingContext(limits: ImageLimits(maximumFrameBytes: needed))
        let less = DecodingContext(limits: ImageLimits(maximumFrameBytes: needed - 400 * 300 * 4 - 20_000))
        enough.run { #expect(failure(of: file) == nil) }
        less.run { #expect(failure(of: file) == .tooMuchMemory) }
        #expect(ImageCodecError.tooMuchMemory.localizedDescription.contains("ImageLimits.maximumFrameBytes"))
        let small = try JPEGXLCodec().decodingMemory(of: file, target: PixelSize(width: 40, height: 30))
        #expect(small < needed)
        // libjxl's first block is above this limit, and its counter refuses it.
        let none = DecodingContext(limits: ImageLimits(maximumFrameBytes: 100))
        none.run { #expect(failure(of: file) != nil) }
    }

    @Test("Frames that libjxl holds as a whole count with all their channels")
    func estimates() throws {
        func memory(_ image: PixelBuffer, _ options: String...) throws -> Int {
            try JPEGXLCodec().decodingMemory(of: Tools.encode(image, options), target: nil)
        }
        let plain = try memory(TestImages.gradients(400, 300), "-d", "1")
        let contained = try memory(TestImages.gradients(400, 300), "-d", "1", "--container=1")
        let modular = try memory(TestImages.gradients(400, 300), "-d", "0")
        let alpha = try memory(TestImages.gradients(400, 300, alpha: true), "-d", "1")
        #expect(plain == contained)
        #expect(modular - plain == 400 * 300 * 30)
        #expect(alpha - plain == 400 * 300 * 32)
    }

    @Test("Empty files and other bytes are no JPEG XL")
    func other() {
        #expect(failure(of: Data()) != nil)
        #expect(failure(of: Data("neither a codestream nor a container".utf8)) != nil)
        #expect(failure(of: Data([0xFF, 0x0A])) == .truncated)
        #expect(failure(of: Data([0xFF, 0x0A] + [UInt8](repeating: 0xFF, count: 100))) != nil)
    }
}

@Suite("JPEG XL: corrupt files", .enabled(if: Tools.arePresent), .serialized)
struct MutationTests {
    @Test("10,000 corrupt files fail or give an image of the declared size, in bounded memory")
    func mutations() throws {
        let image = try TestImages.gradients(32, 32, alpha: true)
        let gif = try Fixtures.data(named: #require(AnimationTests.names.first))
        let jpeg = try JPEGXLFile.encoding(jpeg: Tools.jpeg(Samples.noise(40, 40)))
        let files = try [
            Tools.encode(image), Tools.encode(image, "-d", "1"), Tools.encode(image, "--container=1", "-p"),
            Tools.encode(Samples.gray(40, 30), "-d", "2"), Tools.encode(gif, "gif"), jpeg,
        ]
        let context = DecodingContext(limits: ImageLimits(maximumPixels: 1 << 20, maximumFrameBytes: 1 << 26))
        var random = SeededGenerator(seed: 67)
        let before = ProcessStatus.peakResidentBytes
        for number in 0..<10_000 {
            var file = files[number % files.count]
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                // Half of the changes are in the headers.
                let end = Bool.random(using: &random) ? min(file.count, 80) : file.count
                file[Int.random(in: 0..<end, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            context.run { Self.decode(file, number) }
        }
        #expect(ProcessStatus.peakResidentBytes - before < 600 << 20)
    }

    private static func decode(_ file: Data, _ number: Int) {
        let codec = JPEGXLCodec()
        guard let header = try? codec.header(of: file) else { return }
        if let pixels = try? codec.decode(file, minimumSize: nil) {
            #expect(pixels.size == header.displaySize)
        }
        switch number % 4 {
        case 0:
            let target = PixelSize(width: 4, height: 4)
            if let small = try? codec.decode(file, shrunkTo: target) { #expect(small.size == target) }
        case 1:
            if let source = try? codec.frameSource(for: file) {
                _ = source.frame(at: source.frameCount - 1, maxSize: nil)
            }
        case 2: _ = try? codec.metadataBlocks(of: file)
        default: _ = try? JPEGXLFile.jpeg(in: file)
        }
    }
}
