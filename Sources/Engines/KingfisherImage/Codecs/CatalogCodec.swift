package import Foundation

/// A codec of this package, with what programs must know about its format besides reading and writing it:
/// a row of `FormatCatalog`. Files of the format can be decoded in a decoder process, which has all these
/// codecs.
package protocol CatalogCodec: ImageCodec {
    /// A small file of the format. A decoder process decodes it before the lock-down is complete, so that
    /// libraries and tables are loaded and allocated.
    var sample: Data { get }

    /// Whether the codec may run in the program: its library has no history of vulnerabilities. True by
    /// default.
    var isTrusted: Bool { get }

    /// Whether files name fonts, which the process must open. False by default.
    var opensFonts: Bool { get }

    /// The fonts that files may name, and their folders; empty by default. May load a library.
    var fontPaths: [String] { get }

    /// The setting that the codec of the process gets, such as a page; 0 for a codec without one.
    var variant: Int { get }

    /// The codec with another setting.
    func with(variant: Int) -> Self
}

extension CatalogCodec {
    package var isTrusted: Bool { true }

    package var opensFonts: Bool { false }

    package var fontPaths: [String] { [] }

    package var variant: Int { 0 }

    package func with(variant: Int) -> Self { self }
}

extension Data {
    /// A sample in Base64, which may have line breaks.
    package init(base64Sample text: String) {
        self = Data(base64Encoded: text, options: .ignoreUnknownCharacters) ?? Data()
    }
}
