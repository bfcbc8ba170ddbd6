import Foundation

/// The parameters of a gain map in XMP ("Ultra HDR Image Format", version 1; Adobe's "Gain map", version
/// 1.0), with the numbers as the file writes them.
package struct GainMapAttributes: Hashable, Sendable {
    enum Name: String, CaseIterable {
        case version = "Version"
        case gainMapMin = "GainMapMin"
        case gainMapMax = "GainMapMax"
        case gamma = "Gamma"
        case offsetSDR = "OffsetSDR"
        case offsetHDR = "OffsetHDR"
        case hdrCapacityMin = "HDRCapacityMin"
        case hdrCapacityMax = "HDRCapacityMax"
        case baseRenditionIsHDR = "BaseRenditionIsHDR"

        /// Nil for one that must be present.
        fileprivate var byDefault: Double? {
            switch self {
            case .gainMapMin, .hdrCapacityMin: 0
            case .gamma: 1
            case .offsetSDR, .offsetHDR: 1 / 64
            case .version, .gainMapMax, .hdrCapacityMax, .baseRenditionIsHDR: nil
            }
        }

        fileprivate static let numbers: [Name] = [
            .gainMapMin, .gainMapMax, .gamma, .offsetSDR, .offsetHDR, .hdrCapacityMin, .hdrCapacityMax,
        ]
    }

    static let namespace: StaticString = "http://ns.adobe.com/hdr-gain-map/1.0/"

    private var texts: [Name: [String]] = [:]

    /// Nil without a version, the parameters that must be there, or with numbers that mean nothing.
    init?(_ packet: ByteReader) {
        let names = Name.allCases
        let reader = XMPProperties(packet, of: Self.namespace, names: names.map(\.rawValue))
        guard let values = try? reader.values() else { return nil }
        for (name, found) in zip(names, values) where !found.isEmpty {
            texts[name] = found.map { $0.text.trimmingCharacters(in: .whitespaces) }
        }
        guard texts[.version]?.first?.hasPrefix("1.") == true else { return nil }
        texts[.version] = ["1.0"]
        texts[.baseRenditionIsHDR] = [isBaseHDR ? "True" : "False"]
        guard Name.numbers.allSatisfy(isValid), numbers(.gamma).allSatisfy({ $0 > 0 }),
            numbers(.hdrCapacityMin).count == 1, numbers(.hdrCapacityMax).count == 1,
            zip(numbers(.gainMapMin), numbers(.gainMapMax)).allSatisfy({ $0 <= $1 })
        else { return nil }
    }

    private func isValid(_ name: Name) -> Bool {
        guard let texts = texts[name] else { return name.byDefault != nil }
        return [1, 3].contains(texts.count)
            && texts.allSatisfy { text in
                text.utf8.allSatisfy(Array("+-.0123456789eE".utf8).contains) && Double(text)?.isFinite == true
            }
    }

    /// One number, or three for red, green and blue.
    func numbers(_ name: Name) -> [Double] {
        texts[name]?.compactMap { Double($0) } ?? [name.byDefault ?? 0]
    }

    var isBaseHDR: Bool { texts[.baseRenditionIsHDR]?.first?.lowercased() == "true" }

    var capacity: Double { numbers(.hdrCapacityMax).first ?? 0 }

    /// The packet of the gain map's file.
    var packet: Data {
        var (attributes, lists) = ("", "")
        for name in Name.allCases {
            guard let values = texts[name] else { continue }
            if values.count == 1 {
                attributes += " hdrgm:\(name.rawValue)=\"\(values[0])\""
            } else {
                let items = values.map { "<rdf:li>\($0)</rdf:li>" }.joined()
                lists += "<hdrgm:\(name.rawValue)><rdf:Seq>\(items)</rdf:Seq></hdrgm:\(name.rawValue)>"
            }
        }
        return GainMapDirectory.packet(
            "<rdf:Description rdf:about=\"\" xmlns:hdrgm=\"\(Self.namespace)\"\(attributes)>\(lists)"
                + "</rdf:Description>")
    }
}

/// What the XMP of a base image says about its gain map: the version, and a directory of both images with the
/// length of the second one.
enum GainMapDirectory {
    /// The packet of a base image, added to its properties.
    static func packet(adding length: Int, to packet: Data?) -> Data {
        let description = """
            <rdf:Description rdf:about="" xmlns:hdrgm="\(GainMapAttributes.namespace)" \
            xmlns:Container="http://ns.google.com/photos/1.0/container/" \
            xmlns:Item="http://ns.google.com/photos/1.0/container/item/" hdrgm:Version="1.0">\
            <Container:Directory><rdf:Seq><rdf:li rdf:parseType="Resource">\
            <Container:Item Item:Semantic="Primary" Item:Mime="image/jpeg"/></rdf:li>\
            <rdf:li rdf:parseType="Resource"><Container:Item Item:Semantic="GainMap" \
            Item:Mime="image/jpeg" Item:Length="\(length)"/></rdf:li></rdf:Seq></Container:Directory>\
            </rdf:Description>
            """
        guard var packet, let end = packet.range(of: Data("</rdf:RDF>".utf8), options: .backwards) else {
            return Self.packet(description)
        }
        packet.insert(contentsOf: Data(description.utf8), at: end.lowerBound)
        return packet
    }

    static func packet(_ description: String) -> Data {
        Data(
            ("<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><rdf:RDF "
                + "xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">\(description)"
                + "</rdf:RDF></x:xmpmeta>").utf8)
    }
}
