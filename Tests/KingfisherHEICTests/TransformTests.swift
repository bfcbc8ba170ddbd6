import Foundation
import KingfisherCodecSupport
import KingfisherHEIC
import TestHelpers
import Testing

/// A transformation of an item, and what it does to pixels.
enum Transformation: String, Sendable, CustomTestStringConvertible {
    case left, half, right, upsideDown, leftRight, crop

    var testDescription: String { rawValue }

    var property: Data {
        switch self {
        case .left: HEIFFile.rotation(1)
        case .half: HEIFFile.rotation(2)
        case .right: HEIFFile.rotation(3)
        case .upsideDown: HEIFFile.mirror(0)
        case .leftRight: HEIFFile.mirror(1)
        // The centre is 3 pixels to the left of and 5 below the centre of the image.
        case .crop: HEIFFile.crop(58, 46, -3, 5)
        }
    }

    func applied(to grid: PixelGrid) -> PixelGrid {
        switch self {
        case .left: grid.turnedLeft
        case .half: grid.turnedLeft.turnedLeft
        case .right: grid.turnedLeft.turnedLeft.turnedLeft
        case .upsideDown: grid.upsideDown
        case .leftRight: grid.leftRight
        case .crop:
            grid.cropped((grid.width - 58) / 2 - 3, (grid.height - 46) / 2 + 5, 58, 46)
        }
    }
}

extension [Transformation] {
    var properties: [Data] { map(\.property) }

    func applied(to grid: PixelGrid) -> PixelGrid { reduce(grid) { $1.applied(to: $0) } }

    static let all: [[Transformation]] = [
        [], [.left], [.half], [.right], [.upsideDown], [.leftRight], [.crop], [.crop, .left],
        [.left, .crop], [.right, .crop], [.half, .crop], [.leftRight, .crop], [.upsideDown, .crop],
        [.left, .leftRight], [.upsideDown, .right], [.left, .upsideDown, .crop], [.left, .leftRight, .crop],
    ]
}

/// Files of 128 x 96, which heif-enc does not pad.
private enum Parts {
    static let size = (width: 128, height: 96)

    // Encoded once, because a tool takes longer than the rest of a test.
    private static let colorFile = Result { try Tools.encode(TestImages.smooth(128, 96), "-q", "90") }
    private static let deepFile = Result {
        try Tools.encode(TestImages.smooth(128, 96, depth: .sixteen), "-q", "90", "-b", "10")
    }
    private static let alphaFile = Result { try Tools.encode(alphaImage(), "-q", "95") }
    static let plain = Result { try PixelGrid(Tools.decode(file(colors(), alpha()).data())) }
    static let opaque = Result { try PixelGrid(Tools.decode(HEIFFile(items: [colors()]).data())) }

    static func colors(_ properties: [Data] = [], isDeep: Bool = false, isHidden: Bool = false) throws
        -> HEIFFile.Item
    {
        let file = try isDeep ? deepFile.get() : colorFile.get()
        return try .coded(file, size, properties, isHidden: isHidden)
    }

    /// Alpha that no turn leaves as it is.
    static func alphaImage(_ width: Int = 128, _ height: Int = 96) throws -> PixelBuffer {
        try PixelBuffer(
            width: width, height: height, format: PixelFormat(layout: .gray, depth: .eight, alpha: .opaque)
        ) { rows, bytesPerRow in
            for y in 0..<height {
                for x in 0..<width {
                    let level: Int = (2 * x * 96 / height + y * 96 / height) * 255 / 352
                    rows[y * bytesPerRow + x] = UInt8(level)
                }
            }
        }
    }

    static func alpha(_ properties: [Data] = []) throws -> HEIFFile.Item {
        try .coded(alphaFile.get(), size, [HEIFFile.alpha] + properties, isHidden: true)
    }

    /// Alpha of twice the size, without transformations.
    static func largeAlpha(isDeep: Bool) throws -> HEIFFile.Item {
        let format = PixelFormat(
            layout: isDeep ? .rgba : .gray, depth: isDeep ? .sixteen : .eight, alpha: .opaque)
        let image = try alphaImage(256, 192).converted(to: format)
        let file = try Tools.encode(image, ["-q", "95"] + (isDeep ? ["-b", "10"] : []))
        return try .coded(file, (256, 192), [HEIFFile.alpha], isHidden: true)
    }

    static func file(_ colors: HEIFFile.Item, _ alpha: HEIFFile.Item) -> HEIFFile {
        var file = HEIFFile(items: [colors, alpha])
        file.refer("auxl", from: 2, to: [1])
        return file
    }
}

@Suite("HEIC: transformed images with alpha", .enabled(if: Tools.arePresent))
struct TransformedAlphaTests {
    @Test(
        "Alpha with the transformations of its image, or without any, is turned with it",
        arguments: [Transformation].all, [true, false])
    func turns(_ transformations: [Transformation], _ isOwn: Bool) throws {
        let properties = transformations.properties
        let file = try Parts.file(Parts.colors(properties), Parts.alpha(isOwn ? properties : [])).data()
        let expected = try transformations.applied(to: Parts.plain.get())
        let pixels = try decode(file)
        #expect(pixels.format == .rgba8Straight)
        #expect(try PixelGrid(pixels).distance(to: expected) == 0)
        // heif-convert leaves alpha without transformations as it is.
        if isOwn { #expect(try PixelGrid(pixels) == PixelGrid(Tools.decode(file))) }
        let header = try HEICCodec().header(of: file)
        #expect(header.displaySize == pixels.size && header.hasAlpha)
        let target = PixelSize(width: pixels.width / 3, height: pixels.height / 3)
        let small = try HEICCodec().decode(file, shrunkTo: target)
        #expect(try #require(try PixelGrid(small).distance(to: PixelGrid(pixels.resized(to: target)))) <= 1)
    }

    @Test(
        "Alpha of another size or depth is fitted to the image",
        arguments: [[], [.left], [.crop, .half]] as [[Transformation]], [true, false])
    func fitted(_ transformations: [Transformation], _ isDeep: Bool) throws {
        let file = try Parts.file(
            Parts.colors(transformations.properties, isDeep: isDeep), Parts.largeAlpha(isDeep: !isDeep)
        ).data()
        let pixels = try decode(file)
        #expect(pixels.format.depth == (isDeep ? .sixteen : .eight))
        let alpha = try transformations.applied(to: PixelGrid(Parts.alphaImage()))
        let own = try PixelGrid(pixels).channel(3, dividedBy: isDeep ? 257 : 1)
        #expect(own.decibels(to: alpha.channel(0)) > 40)
    }

    @Test("Alpha of a grid may be a grid")
    func grid() throws {
        let cell = try HEIFFile.Item.coded(Tools.encode(Parts.alphaImage(), "-q", "95"), Parts.size)
        var file = HEIFFile(items: [try Parts.colors(), cell])
        let shape = Data([0, 0, 0, 0]) + HEIFFile.u16(128) + HEIFFile.u16(96)
        let grid = HEIFFile.Item(
            type: "grid", data: shape, properties: [HEIFFile.extent(Parts.size), HEIFFile.alpha],
            isHidden: true)
        file.refer("dimg", from: file.add(grid), to: [2])
        file.refer("auxl", from: 3, to: [1])
        #expect(try PixelGrid(decode(file.data())) == Parts.plain.get())
    }

    @Test("Alpha with transformations that differ from the image's has its own, as in libheif")
    func different() throws {
        let file = try Parts.file(Parts.colors([HEIFFile.rotation(2)]), Parts.alpha([HEIFFile.mirror(0)]))
            .data()
        #expect(try PixelGrid(decode(file)) == PixelGrid(Tools.decode(file)))
    }

    @Test("Colours are multiplied by alpha if the file says so", arguments: [true, false])
    func premultiplied(_ isMultiplied: Bool) throws {
        let file = try Tools.encode(
            TestImages.smooth(128, 96, alpha: true), isMultiplied ? ["--premultiplied-alpha"] : [])
        #expect(try decode(file).format.alpha == (isMultiplied ? .premultiplied : .straight))
    }

    @Test(
        "A decode with alpha takes no more memory than was estimated",
        arguments: [[], [.left]] as [[Transformation]])
    func memory(_ transformations: [Transformation]) throws {
        let properties = transformations.properties
        let file = try Parts.file(Parts.colors(properties), Parts.alpha(properties)).data()
        let needed = try HEICCodec().decodingMemory(of: file, target: nil)
        #expect(needed >= 128 * 96 * (2 * 4 + 2 + 12))
        DecodingContext(limits: ImageLimits(maximumFrameBytes: needed)).run {
            #expect(failure(of: file) == nil)
        }
        DecodingContext(limits: ImageLimits(maximumFrameBytes: needed - 1)).run {
            #expect(failure(of: file) == .tooMuchMemory)
        }
    }
}

@Suite("HEIC: images derived by transformations alone", .enabled(if: Tools.arePresent))
struct IdentityDerivationTests {
    /// An image, and others derived from it in turn, of which the last is the primary one.
    private func file(_ source: [Transformation], _ derived: [[Transformation]]) throws -> HEIFFile {
        var file = HEIFFile(items: [try Parts.colors(source.properties, isHidden: true)])
        for transformations in derived { derive(&file, transformations.properties) }
        return file
    }

    private func derive(_ file: inout HEIFFile, _ properties: [Data]) {
        let source = file.primary
        file.primary = file.add(
            HEIFFile.Item(type: "iden", properties: [HEIFFile.extent(Parts.size)] + properties))
        file.refer("dimg", from: file.primary, to: [source])
    }

    static let chains: [([Transformation], [[Transformation]])] = [
        ([], [[]]), ([], [[.left]]), ([.left], [[.leftRight]]), ([.leftRight], [[.left]]),
        ([.crop], [[.right]]), ([.left], [[.crop]]), ([.upsideDown], [[.left], [.crop, .half]]),
    ]

    @Test("The transformations of the source apply first", arguments: chains)
    func chain(_ source: [Transformation], _ derived: [[Transformation]]) throws {
        let file = try file(source, derived).data()
        let all = source + derived.joined()
        let pixels = try decode(file)
        #expect(try PixelGrid(pixels) == all.applied(to: Parts.opaque.get()))
        // One image with the same transformations.
        let single = try Tools.decode(HEIFFile(items: [Parts.colors(all.properties)]).data())
        #expect(try PixelGrid(pixels) == PixelGrid(single))
        #expect(try HEICCodec().header(of: file).displaySize == pixels.size)
        let target = PixelSize(width: pixels.width / 3, height: pixels.height / 3)
        let small = try HEICCodec().decode(file, shrunkTo: target)
        #expect(try PixelGrid(small).decibels(to: PixelGrid(pixels.resized(to: target))) > 40)
    }

    @Test("The source may be a grid")
    func grid() throws {
        let cell = try Tools.encode(TestImages.smooth(128, 96), "-q", "90")
        var file = try GridFile(cells: [cell, cell], columns: 2, cell: (128, 96), size: (250, 90)).file()
        let plain = try PixelGrid(Tools.decode(file.data()))
        derive(&file, [Transformation.left, .crop].properties)
        #expect(try PixelGrid(decode(file.data())) == [Transformation.left, .crop].applied(to: plain))
    }

    @Test("The source or the derived image may have alpha", arguments: [1, 3])
    func alpha(_ owner: Int) throws {
        var file = HEIFFile(items: [try Parts.colors(isHidden: true), try Parts.alpha()])
        derive(&file, [HEIFFile.rotation(1)])
        file.refer("auxl", from: 2, to: [owner])
        #expect(try PixelGrid(decode(file.data())) == Parts.plain.get().turnedLeft)
    }

    @Test(
        "Colours and metadata of the derived image apply, or else those of its source",
        arguments: [true, false])
    func description(_ isOfDerived: Bool) throws {
        let (own, other) = ([HEIFFile.codePoints(12)], [HEIFFile.codePoints(9)])
        var file = HEIFFile(items: [try Parts.colors(isOfDerived ? other : own, isHidden: true)])
        derive(&file, isOfDerived ? own : [])
        let exif = Data([0, 0, 0, 0]) + Data("MM\0\u{2A}\0\0\0\u{8}\0\0".utf8)
        file.refer("cdsc", from: file.add(HEIFFile.Item(type: "Exif", data: exif)), to: [file.primary])
        let xmp = HEIFFile.Item(type: "mime", typeSuffix: "application/rdf+xml\0", data: Data("<x/>".utf8))
        file.refer("cdsc", from: file.add(xmp), to: [1])
        let blocks = try HEICCodec().metadataBlocks(of: file.data())
        #expect(blocks.codePoints?.primaries == 12)
        #expect(blocks.exif == exif.dropFirst(4) && blocks.xmp == xmp.data)
    }

    @Test("A derivation from several images or from itself is corrupt", arguments: [[1, 1], [2], []])
    func malformed(_ sources: [Int]) throws {
        var file = HEIFFile(items: [try Parts.colors()])
        file.primary = file.add(HEIFFile.Item(type: "iden", properties: [HEIFFile.extent(Parts.size)]))
        file.refer("dimg", from: 2, to: sources)
        #expect(failure(of: file.data()) == .corrupt("malformed derivation"))
    }
}

@Suite("HEIC: items beside the image", .enabled(if: Tools.arePresent))
struct OtherItemTests {
    private static let image = Result { try Tools.encode(TestImages.smooth(128, 128), "-q", "90") }
    private static let gray = Result {
        try Tools.encode(TestImages.smooth(64, 64, isGray: true), "-q", "90")
    }

    /// An image with a thumbnail of another colour, which shows whether it was used.
    private func file(
        _ properties: [Data], _ change: (inout HEIFFile.Item) throws -> Void
    ) throws -> HEIFFile {
        var thumbnail = try HEIFFile.Item.coded(Self.gray.get(), (64, 64), isHidden: true)
        try change(&thumbnail)
        var file = HEIFFile(items: [try .coded(Self.image.get(), (128, 128), properties), thumbnail])
        file.refer("thmb", from: 2, to: [1])
        return file
    }

    private func isThumbnail(_ file: HEIFFile) throws -> Bool {
        let small = try HEICCodec().decode(file.data(), shrunkTo: PixelSize(width: 32, height: 32))
        let image = try Tools.decode(HEIFFile(items: [file.items[0]]).data()).resized(to: small.size)
        let decibels = try PixelGrid(small).decibels(to: PixelGrid(image))
        #expect(decibels < 20 || decibels > 38)
        return decibels < 20
    }

    static let turns: [[Transformation]] = [
        [.left], [.half], [.upsideDown], [.leftRight], [.left, .leftRight],
    ]

    @Test("A thumbnail is used if it is turned as the image is", arguments: turns)
    func turned(_ transformations: [Transformation]) throws {
        let properties = transformations.properties
        #expect(try isThumbnail(file(properties) { $0.properties += properties }))
        #expect(try !isThumbnail(file(properties) { _ in }))
        #expect(try !isThumbnail(file([]) { $0.properties += properties }))
    }

    @Test("A thumbnail is used if it shows the part that the image shows")
    func cropped() throws {
        let crop = HEIFFile.crop(96, 96, 16, -16)
        #expect(try isThumbnail(file([crop]) { $0.properties.append(HEIFFile.crop(48, 48, 8, -8)) }))
        #expect(try !isThumbnail(file([crop]) { $0.properties.append(HEIFFile.crop(48, 48, -8, -8)) }))
        #expect(try !isThumbnail(file([crop]) { _ in }))
        #expect(try !isThumbnail(file([]) { $0.properties.append(HEIFFile.crop(48, 48, 8, -8)) }))
    }

    @Test("A thumbnail in another coding, without data or of another depth is not used")
    func unreadable() throws {
        #expect(try isThumbnail(file([]) { _ in }))
        #expect(try !isThumbnail(file([]) { $0.type = "jpeg" }))
        #expect(try !isThumbnail(file([]) { $0.type = "av01" }))
        #expect(
            try !isThumbnail(
                file([]) {
                    let deep = try Tools.encode(TestImages.smooth(64, 64, depth: .sixteen), "-b", "10")
                    $0 = try .coded(deep, (64, 64), isHidden: true)
                }))
    }

    @Test(
        "A thumbnail is used if its frame, without the padding of the encoder, has the declared size",
        arguments: [96, 100, 104, 64])
    func padded(_ side: Int) throws {
        // 104 x 104 are coded.
        let coded = try Tools.encode(TestImages.smooth(100, 100, isGray: true), "-q", "90")
        let thumbnail = try HEIFFile.Item.coded(coded, (side, side), isHidden: true)
        #expect(try isThumbnail(file([]) { $0 = thumbnail }) == (side == 100))
    }

    @Test("Malformed parameter sets of a thumbnail lead to an image or an error", arguments: 0..<40)
    func malformedSets(_ offset: Int) throws {
        let file = try file([]) { thumbnail in
            let start = try #require(thumbnail.properties[0].firstRange(of: Data([0x42, 1, 1]))).upperBound
            thumbnail.properties[0][start + offset] ^= 0xFF
        }
        let target = PixelSize(width: 32, height: 32)
        if let small = try? HEICCodec().decode(file.data(), shrunkTo: target) {
            #expect(small.size == target)
        }
    }

    @Test("A thumbnail that states no colours has those of the image")
    func colors() throws {
        let wide = try file([HEIFFile.codePoints(9)]) { _ in }.data()
        let plain = try file([]) { _ in }.data()
        let target = PixelSize(width: 32, height: 32)
        let transform = try #require(ColorEncoding(primaries: 9, transfer: 13)?.transform(of: .rgb(.eight)))
        let expected = try transform.converted(HEICCodec().decode(plain, shrunkTo: target))
        let small = try HEICCodec().decode(wide, shrunkTo: target)
        #expect(try #require(try PixelGrid(small).distance(to: PixelGrid(expected))) <= 2)
    }

    @Test("Items without data, which libheif 1.15 refuses, are ignored", arguments: ["tmap", "iden", "av01"])
    func ignored(_ type: String) throws {
        var file = HEIFFile(items: [try Parts.colors()])
        file.refer("dimg", from: file.add(HEIFFile.Item(type: type)), to: [1])
        #expect(try PixelGrid(decode(file.data())) == Parts.opaque.get())
    }

    @Test(
        "An image in another coding is unsupported, and the error names it",
        arguments: [
            ("jpeg", "JPEG in HEIF"), ("av01", "AV1 in HEIF"), ("unci", "an uncompressed image in HEIF"),
            ("zzzz", "an image of an unknown type in HEIF"),
        ])
    func coding(_ type: String, _ message: String) throws {
        var file = HEIFFile(items: [try Parts.colors()])
        file.items[0].type = type
        #expect(failure(of: file.data()) == .unsupported(message))
        let grid = try GridFile(
            cells: [Tools.encode(TestImages.smooth(64, 64))], columns: 1, cell: (64, 64), size: (64, 64))
        var cells = try grid.file()
        cells.items[0].type = type
        #expect(failure(of: cells.data()) == .unsupported(message))
    }

    @Test("An overlay turns its images by their own transformations, and then as a whole")
    func overlay() throws {
        var file = HEIFFile(items: [
            try Parts.colors(isHidden: true), try Parts.colors([HEIFFile.rotation(1)], isHidden: true),
        ])
        let fill = [0x8000, 0x4000, 0xC000, 0xFFFF, 160, 128, 0, 0, 50, 20]
        let shape = Data([0, 0]) + fill.map(HEIFFile.u16).reduce(Data(), +)
        file.primary = file.add(
            HEIFFile.Item(
                type: "iovl", data: shape, properties: [HEIFFile.extent((160, 128)), HEIFFile.mirror(1)]))
        file.refer("dimg", from: 3, to: [1, 2])
        #expect(try PixelGrid(decode(file.data())) == PixelGrid(Tools.decode(file.data())))
    }
}
