import Foundation
import KingfisherFormats
import KingfisherImage
import KingfisherTestSupport
import Testing

@Suite("Catalogue of formats")
struct FormatCatalogTests {
    private static let codecs = FormatCatalog.codecs

    @Test(
        "The sample of each format is recognized by its codec alone, and decoded", arguments: codecs.indices)
    func sample(index: Int) throws {
        let codec = Self.codecs[index]
        let recognizing = Self.codecs.filter { codec.sample.withUnsafeBytes($0.matches) }.map(\.format)
        // An APNG is also a PNG, so its codec comes first in lookup order.
        #expect(recognizing.filter { $0 != .PNG || codec.format != .APNG } == [codec.format])
        let decoder = try codec.open(EncodedFile(codec.sample))
        #expect(try decoder.decode(.full).size == decoder.header.displaySize)
    }

    @Test("No two formats have the same name, file name extension or media type")
    func names() {
        let (names, types) = (Self.codecs.map(\.format.name), Self.codecs.map(\.mediaType))
        let extensions = Self.codecs.flatMap(\.fileExtensions)
        for texts in [names, types, extensions] { #expect(Set(texts).count == texts.count, "\(texts)") }
    }

    @Test("After registerAll, each format has its codec, and the built-in formats keep theirs")
    func registration() async {
        await #expect(processExitsWith: .success) {
            ImageCodecs.registerAll()
            for codec in FormatCatalog.codecs {
                let registered = ImageCodecs.codec(for: codec.sample)
                precondition(registered.map { type(of: $0) == type(of: codec) } ?? false)
            }
            precondition(Set(ImageCodecs.formats) == Set(FormatCatalog.codecs.map(\.format)))
        }
    }

    @Test func `RAW files are RAW, and TIFF files with the name of a camera stay TIFF`() throws {
        var registry = CodecRegistry.builtIn
        for codec in FormatCatalog.products { registry.register(codec) }
        let names = FormatCatalog.products.map(\.format.name)
        guard names.contains("RAW"), names.contains("TIFF") else { return }
        let previews = Fixtures.names(in: "RAW", withExtension: "rgba").map { String($0.dropLast(5)) }
        try #require(!previews.isEmpty)
        for name in previews {
            #expect(registry.codec(for: try Fixtures.data(named: name))?.format.name == "RAW", "\(name)")
        }
        let editor = try Fixtures.data(named: "RAW/editor.tif")
        #expect(registry.codec(for: editor)?.format.name == "TIFF")
    }

    /// The names of the rows of `formats` in `Package.swift`.
    private static var rows: [String] {
        get throws {
            let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
            let manifest = try String(contentsOf: root.appending(path: "Package.swift"), encoding: .utf8)
            let table = try #require(manifest.firstMatch(of: /\nlet formats.*?\n\]/.dotMatchesNewlines()))
            return table.output.matches(of: /Format\(\s*"(\w+)"/).map { String($0.output.1) }
        }
    }

    @Test("Each row of Package.swift has a row in the catalogue, unless it is left out of the build")
    func manifest() throws {
        let modules = FormatCatalog.products.compactMap { codec in
            String(reflecting: type(of: codec)).split(separator: ".").first.map(String.init)
        }
        let without = ProcessInfo.processInfo.environment["KINGFISHER_WITHOUT"] ?? ""
        let parts = without.uppercased().split(separator: ",").map(String.init)
        let rows = try Self.rows
        #expect(rows.count > 7)
        #expect(
            Set(modules) == Set(rows.filter { !parts.contains($0.uppercased()) }.map { "Kingfisher\($0)" }))
    }
}
