/// The creators and the rights of an image in an XMP packet: `dc:creator` and `dc:rights` of Dublin Core
/// (ISO 16684-1, section 8.3).
struct XMPNames: Hashable {
    var creators: [String] = []
    var rights: [XMPProperties.Value] = []

    init() {}

    /// The names in a packet of UTF-8; none if it is malformed.
    init(_ packet: ByteReader) {
        let reader = XMPProperties(
            packet, of: "http://purl.org/dc/elements/1.1/", names: ["creator", "rights"])
        guard let values = try? reader.values() else { return }
        (creators, rights) = (values[0].map(\.text), values[1])
    }
}
