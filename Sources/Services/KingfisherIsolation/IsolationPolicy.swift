import KingfisherImage

/// Which formats are decoded in separate processes.
public enum IsolationPolicy: Hashable, Sendable {
    /// Formats whose libraries have a history of vulnerabilities, HEIC, SVG and TIFF; and RAW, whose
    /// structures are mostly undocumented.
    case untrustedFormats
    /// All formats of this package. Codecs of other packages stay in the program.
    case all
    /// No format.
    case none

    /// What the process for `codec` may open; nil if its files are decoded in the program.
    ///
    /// Goes by the codec's type, so that a codec of the program for one of these formats stays in the
    /// program.
    func access(for codec: any ImageCodec) -> DecoderAccess? {
        guard self != .none, let codec = codec as? any CatalogCodec else { return nil }
        guard self == .all || !codec.isTrusted else { return nil }
        return codec.access
    }
}

extension CatalogCodec {
    /// What a decoder process of the format may open.
    var access: DecoderAccess { opensFonts ? .fonts : .nothing }
}
