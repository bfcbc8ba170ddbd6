import Foundation

/// What a PNG states about its colours. Of several statements, the first valid one of this order counts (W3C
/// PNG, third edition, section 4.3): cICP, iCCP, sRGB, then gAMA and cHRM. See decision 068.
///
/// Of chunks of one type the first counts, and only before the palette and the pixels. A malformed chunk
/// counts as absent. mDCV and cLLI, which describe the display of the author, are ignored.
enum PNGColors {
    case codePoints(ImageMetadata.CodePoints, ColorEncoding)
    case profile(Data)
    /// The sRGB chunk, or no statement.
    case sRGB
    case measured(ColorEncoding)

    init(in reader: ByteReader) {
        let found = PNGColorChunks(reader)
        if let (points, encoding) = found.codePoints {
            self = .codePoints(points, encoding)
        } else if let profile = found.profile {
            self = .profile(profile)
        } else if !found.hasSRGB, let encoding = found.measured {
            self = .measured(encoding)
        } else {
            self = .sRGB
        }
    }

    /// The conversion of `samples` to sRGB; nil if none is needed.
    func transform(of samples: ICCSamples) -> ICCTransform? {
        switch self {
        case .codePoints(_, let encoding), .measured(let encoding): encoding.transform(of: samples)
        case .profile(let file):
            file.withUnsafeBytes { ICCTransform.toSRGB(from: ByteReader($0), of: samples) }
        case .sRGB: nil
        }
    }
}

extension PNGFileHeader {
    func colors(in reader: ByteReader, of format: PixelFormat) -> ICCTransform? {
        let isGray = colorType == .gray || colorType == .grayAlpha
        let samples: ICCSamples =
            isGray && format.layout == .rgba ? .grayInColor(format.depth) : ICCSamples(format)
        return PNGColors(in: reader).transform(of: samples)
    }
}

/// The chunks that describe colours.
private struct PNGColorChunks {
    private let reader: ByteReader
    private var chunks: [PNGChunkType: PNGChunk] = [:]
    private static let types: Set<PNGChunkType> = [.cICP, .iCCP, .sRGB, .gAMA, .cHRM]

    init(_ reader: ByteReader) {
        self.reader = reader
        var all = PNGChunks(reader, from: PNGFileHeader.end)
        while let chunk = try? all.next(), chunk.type != .PLTE, chunk.type != .IDAT, chunk.type != .IEND {
            guard Self.types.contains(chunk.type), chunks[chunk.type] == nil else { continue }
            chunks[chunk.type] = chunk
        }
    }

    private func body(_ type: PNGChunkType, bytes: Int) -> ByteReader? {
        guard let chunk = chunks[type], chunk.length == bytes else { return nil }
        return reader.slice(at: chunk.data, count: chunk.length)
    }

    var hasSRGB: Bool { body(.sRGB, bytes: 1) != nil }

    var profile: Data? { chunks[.iCCP].flatMap { PNGProfile.data(in: $0, of: reader) } }

    /// Known code points of RGB in full range; nil for others (11.3.2.6).
    var codePoints: (ImageMetadata.CodePoints, ColorEncoding)? {
        guard let body = body(.cICP, bytes: 4), let points = ImageMetadata.CodePoints(body),
            points.matrix == 0, points.isFullRange,
            let encoding = ColorEncoding(primaries: points.primaries, transfer: points.transfer)
        else { return nil }
        return (points, encoding)
    }

    /// gAMA, cHRM or both (11.3.2.1 and 11.3.2.2); nil if they describe sRGB or nothing usable.
    var measured: ColorEncoding? {
        let chromaticities = chromaticities ?? .sRGB
        let isSRGB = chromaticities.isClose(to: .sRGB)
        guard let gamma, !(isSRGB && Self.isCurveOfSRGB(gamma)) else {
            return isSRGB ? nil : ColorEncoding(chromaticities: chromaticities, curve: .sRGB)
        }
        return ColorEncoding(chromaticities: isSRGB ? .sRGB : chromaticities, curve: .gamma(1 / gamma))
    }

    /// The exponent of encoding; nil outside of 0.1...10.
    private var gamma: Double? {
        guard let number = body(.gAMA, bytes: 4)?.uint32(at: 0, bigEndian: true) else { return nil }
        let gamma = Double(number) / 100_000
        return (0.1...10).contains(gamma) ? gamma : nil
    }

    /// The threshold of libpng (`PNG_GAMMA_THRESHOLD`), below which it and browsers do not convert: writers
    /// that know only sRGB put 1/2.2 there.
    private static func isCurveOfSRGB(_ gamma: Double) -> Bool { abs(gamma * 2.2 - 1) <= 0.05 }

    private var chromaticities: Chromaticities? {
        guard let body = body(.cHRM, bytes: 32) else { return nil }
        let numbers = (0..<8).compactMap { body.uint32(at: $0 * 4, bigEndian: true) }
        func point(_ index: Int) -> Chromaticities.Point {
            Chromaticities.Point(
                x: Double(numbers[index * 2]) / 100_000, y: Double(numbers[index * 2 + 1]) / 100_000)
        }
        guard numbers.count == 8 else { return nil }
        let found = Chromaticities(red: point(1), green: point(2), blue: point(3), white: point(0))
        return found.columnsForD50 == nil ? nil : found
    }
}

extension Chromaticities {
    /// Whether no coordinate differs by more than the rounding of three digits.
    fileprivate func isClose(to other: Chromaticities) -> Bool {
        zip(points, other.points).allSatisfy { abs($0.x - $1.x) <= 0.001 && abs($0.y - $1.y) <= 0.001 }
    }

    private var points: [Point] { [red, green, blue, white] }
}

/// The ICC profile of an iCCP chunk (11.3.2.3).
enum PNGProfile {
    static func data(in chunk: PNGChunk, of reader: ByteReader) -> Data? {
        // A name of at most 79 letters, a zero, and the compression method, which must be 0.
        guard let data = reader.slice(at: chunk.data, count: chunk.length),
            let name = data.bytes.prefix(80).firstIndex(of: 0), data.uint8(at: name + 1) == 0,
            let stream = data.slice(at: name + 2, count: data.count - name - 2)
        else { return nil }
        return PNGText.expanded(stream, atMost: reader.limits.maximumMetadataBytes)
    }
}
