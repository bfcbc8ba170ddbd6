import Foundation
import KingfisherTestSupport
import Testing

@testable import KingfisherImage

/// Wrong metadata: loops, huge counts, offsets outside of the file, and thousands of corrupt files.
@Suite(.timeLimit(.minutes(5))) struct HostileMetadataTests {
    private static func bare() throws -> Data { try Fixtures.data(named: "Metadata/bare.jpg") }

    private static func metadata(exif tiff: Data) throws -> ImageMetadata {
        try ImageMetadata(of: JPEGPieces.inserted(JPEGPieces.exif(tiff), into: try bare()))
    }

    @Test("Directories that form a loop are read once, by the reader and by every edit")
    func loops() throws {
        // EXIF and GPS pointers, and the successor, lead to the main directory.
        let tiff = JPEGPieces.tiff(
            [(0x010F, 2, 4, 0x0043_4241), (0x8769, 4, 1, 8), (0x8825, 4, 1, 8)], next: 8)
        let metadata = try Self.metadata(exif: tiff)
        #expect(metadata.exif?.make == "ABC")
        let file = JPEGPieces.inserted(JPEGPieces.exif(tiff), into: try Self.bare())
        for edit: JPEGMetadataEdit in [.removeLocation, .removeAll, .setOrientation(.left)] {
            let edited = try edit.applied(to: file)
            #expect(JPEGPieces.scans(of: edited) == JPEGPieces.scans(of: file))
        }
    }

    @Test("Counts and offsets outside of the block give no value")
    func outsideOffsets() throws {
        for value: UInt32 in [0, 7, 0xFFFF, 0x7FFF_FFFF, .max] {
            let tiff = JPEGPieces.tiff([
                (0x010F, 2, .max, value), (0x0110, 5, 0x2000_0000, value), (0x8769, 4, 1, value),
                (0x8825, 4, .max, value), (0x011A, 5, 1, value), (0x9999, 77, .max, value),
            ])
            let metadata = try Self.metadata(exif: tiff)
            #expect(metadata.exif?.make == nil && metadata.location == nil && metadata.pixelDensity?.x != 0)
        }
        var many = JPEGPieces.tiff([])
        many[8] = 0xFF
        many[9] = 0xFF
        #expect(try Self.metadata(exif: many).exif?.make == nil)
    }

    @Test(
        "The second of a fix is never rounded to another one",
        arguments: [(129_996, "12.999"), (123_450, "12.345"), (120_000, "12"), (599_999, "59.999")])
    func fix(tenThousandths: UInt32, second: String) throws {
        let directory = UInt32(8 + 2 + 12 + 4)
        let values = directory + 2 + 24 + 4
        var tiff = JPEGPieces.tiff([(0x8825, 4, 1, directory)])
        tiff += JPEGPieces.tiff([(7, 5, 3, values), (0x1D, 2, 11, values + 24)]).dropFirst(8)
        tiff += [1, 1, 2, 1, tenThousandths, 10_000].reduce(Data()) { $0 + JPEGPieces.little($1) }
        tiff += Data("2026:03:29\0".utf8)
        let moment = try #require(try Self.metadata(exif: tiff).location?.timestamp)
        #expect(moment.description == "2026-03-29T01:02:\(second)Z")
    }

    @Test(
        "IPTC follows resources of other programs and names of any length; an unknown signature ends them",
        arguments: [("MeSa", "", true), ("8BIM", "a", true), ("AgHg", "ab", true), ("none", "", false)])
    func resources(signature: String, name: String, isFound: Bool) throws {
        func resource(_ signature: String, _ number: UInt8, _ name: String, _ body: String) -> Data {
            var data = Data(signature.utf8)
            data += [4, number, UInt8(name.utf8.count)] as [UInt8]
            data += Data(name.utf8)
            if name.utf8.count % 2 == 0 { data.append(0) }
            data += [0, 0, 0, UInt8(body.utf8.count)] as [UInt8]
            data += Data(body.utf8)
            if body.utf8.count % 2 == 1 { data.append(0) }
            return data
        }
        let title = "\u{1C}\u{2}\u{5}\0\u{3}sea"
        let segment = JPEGPieces.segment(
            0xED,
            Data("Photoshop 3.0\0".utf8) + resource(signature, 1, name, "odd")
                + resource("8BIM", 4, "", title))
        let metadata = try ImageMetadata(of: JPEGPieces.inserted(segment, into: try Self.bare()))
        #expect(metadata.iptc?.title == (isFound ? "sea" : nil))
    }

    @Test("Coordinates without a hemisphere or outside of the globe are nil")
    func coordinates() throws {
        func location(_ degrees: UInt32, _ reference: String) throws -> Double? {
            let directory = UInt32(8 + 2 + 12 + 4)
            let letter = UInt32(reference.utf8.first ?? 0)
            var tiff = JPEGPieces.tiff([(0x8825, 4, 1, directory)])
            tiff += JPEGPieces.tiff([(1, 2, 2, letter), (2, 5, 3, directory + 2 + 24 + 4)]).dropFirst(8)
            tiff += [degrees, 1, 30, 1, 36, 1].reduce(Data()) { $0 + JPEGPieces.little($1) }
            return try Self.metadata(exif: tiff).location?.latitude
        }
        #expect(abs(try #require(try location(10, "N")) - 10.51) < 1e-12)
        #expect(abs(try #require(try location(10, "S")) + 10.51) < 1e-12)
        #expect(try location(90, "N") == nil)
        #expect(try location(10, "") == nil)
        #expect(try location(10, "E") == nil)
    }

    @Test("Metadata above the limit of kept bytes is omitted, and above that of the file refused")
    func limits() throws {
        let text = Data("http://ns.adobe.com/xap/1.0/\0".utf8) + Data(repeating: 0x20, count: 60_000)
        let resources = (0..<80).reduce(into: Data()) { data, _ in
            data += JPEGPieces.segment(0xED, Data("Photoshop 3.0\0".utf8) + Data(count: 60_000))
        }
        let file = JPEGPieces.inserted(JPEGPieces.segment(0xE1, text), resources, into: try Self.bare())
        let metadata = try ImageMetadata(of: file)
        #expect(metadata.xmp?.count == 60_000 && !metadata.isComplete)
        let strict = DecodingContext(limits: ImageLimits(maximumMetadataBytes: 50_000))
        #expect(throws: ImageCodecError.tooMuchMetadata) { try strict.run { try ImageMetadata(of: file) } }
        #expect(throws: ImageCodecError.tooMuchMetadata) {
            try strict.run { try JPEGMetadataEdit.removeLocation.applied(to: file) }
        }
        var blocks = ImageMetadataBlocks()
        Data(count: ImageMetadataBlocks.maximumBytes).withUnsafeBytes {
            blocks.keep(ByteReader($0), as: \.exif)
        }
        Data(count: 1).withUnsafeBytes { blocks.keep(ByteReader($0), as: \.xmp) }
        #expect(
            blocks.byteCount == ImageMetadataBlocks.maximumBytes && blocks.xmp == nil && !blocks.isComplete)
    }

    @Test("Texts and lists are truncated at their limits")
    func texts() throws {
        func set(_ number: UInt8, _ text: Data) -> Data {
            Data([0x1C, 2, number, UInt8(text.count >> 8), UInt8(text.count & 255)]) + text
        }
        // The limit divides the last letter.
        let long = Data((String(repeating: "a", count: 4_095) + "ä").utf8)
        var sets = set(5, long) + set(120, Data([0xE4]))
        for _ in 0..<1_200 { sets += set(25, Data("word".utf8)) }
        let fields = sets.withUnsafeBytes { IPTCReader.fields(in: ByteReader($0)) }
        #expect(fields?.title == String(repeating: "a", count: 4_095))
        #expect(fields?.caption == "ä")
        #expect(fields?.keywords.count == ImageMetadata.maximumKeywords)
        let malformed = set(5, Data("x".utf8)) + Data([0x1C, 2, 25, 0xFF, 0xFF, 1, 2])
        #expect(malformed.withUnsafeBytes { IPTCReader.fields(in: ByteReader($0)) }?.title == "x")
    }

    @Test("ExtendedXMP with a missing, overlapping or oversized part is omitted")
    func extended() throws {
        let file = try Fixtures.data(named: "Metadata/extended.jpg")
        let name = Data("http://ns.adobe.com/xmp/extension/\0".utf8)
        let first = try #require(file.range(of: name))
        let place = first.upperBound + 32
        for value: [UInt8] in [[0xFF, 0xFF, 0xFF, 0xFF], [0, 0, 0, 1], [0x7F, 0xFF, 0xFF, 0xFF]] {
            for field in [place, place + 4] {
                var damaged = file
                damaged.replaceSubrange(field..<field + 4, with: value)
                let metadata = try ImageMetadata(of: damaged)
                #expect(metadata.extendedXMP == nil && !metadata.isComplete && metadata.xmp != nil)
            }
        }
    }

    @Test("A file that is truncated anywhere gives metadata or an error", arguments: MetadataReference.own)
    func truncated(_ reference: MetadataReference) throws {
        let file = try reference.data()
        for count in 0..<file.count {
            let part = Data(file.prefix(count))
            _ = part.kf.imageMetadata
            guard reference.name.hasSuffix("jpg"), count > 2 else { continue }
            for edit: JPEGMetadataEdit in [.removeLocation, .removeAll, .setOrientation(.down)] {
                let edited = try? edit.applied(to: part)
                // Only the second image of a file may be missing.
                #expect(edited == nil || reference.name == "multiple.jpg", "\(count) bytes")
            }
        }
    }

    @Test("Ten thousand corrupt files crash nothing, and take little time and memory")
    func mutations() async throws {
        await #expect(processExitsWith: .success) {
            let names = MetadataReference.own.map(\.name)
            let mutator = FileMutator(try names.map { try Fixtures.data(named: "Metadata/\($0)") })
            var (read, edited) = (0, 0)
            let clock = ContinuousClock()
            let started = clock.now
            for number in 0..<10_000 {
                let file = mutator.file(number)
                if let metadata = file.kf.imageMetadata { read += metadata.exif == nil ? 0 : 1 }
                for edit: JPEGMetadataEdit in [.removeLocation, .removeAll, .setOrientation(.leftMirrored)] {
                    guard let result = try? edit.applied(to: file) else { continue }
                    edited += 1
                    precondition(edit != .removeLocation || result.count == file.count)
                }
            }
            precondition(read > 1_000 && edited > 1_000, "hardly a file was read: \(read), \(edited)")
            precondition(clock.now - started < .seconds(120), "more than two minutes")
            precondition(ProcessStatus.peakResidentBytes >> 20 < 300, "more than 300 MB")
        }
    }
}
