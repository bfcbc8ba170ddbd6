import Foundation
import KingfisherTestSupport
import Testing

@testable import KingfisherImage

/// A packet as `onlyCopyright()` writes it.
enum XMPPacket {
    static let rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    static let dc = "http://purl.org/dc/elements/1.1/"

    static func with(creators: String = "", rights: String = "") -> Data {
        let head = """
            <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">\
            <rdf:RDF xmlns:rdf="\(rdf)"><rdf:Description rdf:about="" xmlns:dc="\(dc)">
            """
        let lists = [("creator", "Seq", creators), ("rights", "Alt", rights)].filter { !$0.2.isEmpty }
        let body = lists.map { "<dc:\($0)><rdf:\($1)>\($2)</rdf:\($1)></dc:\($0)>" }.joined()
        return Data((head + body + #"</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="r"?>"#).utf8)
    }
}

/// Names in packets of XMP as programs write them, and as attackers do.
@Suite(.timeLimit(.minutes(2))) struct CopyrightXMPTests {
    private static func kept(_ packet: Data) -> Data? {
        var blocks = ImageMetadataBlocks()
        blocks.xmp = packet
        return blocks.onlyCopyright().xmp
    }

    private static func kept(_ text: String) -> Data? { kept(Data(text.utf8)) }

    private static func description(_ content: String, attributes: String = "") -> String {
        """
        <x:xmpmeta xmlns:x='adobe:ns:meta/'>
         <rdf:RDF xmlns:rdf='\(XMPPacket.rdf)'>
          <rdf:Description rdf:about='' xmlns:dc='\(XMPPacket.dc)' \(attributes)>\(content)</rdf:Description>
         </rdf:RDF>
        </x:xmpmeta>
        """
    }

    private static func item(_ text: String, _ language: String = "x-default") -> String {
        #"<rdf:li xml:lang="\#(language)">\#(text)</rdf:li>"#
    }

    /// Content of a description, and the items of the list that is written.
    private static let rights: [(String, String)] = [
        ("<dc:rights><rdf:Alt><rdf:li xml:lang='x-default'>Ada</rdf:li></rdf:Alt></dc:rights>", item("Ada")),
        ("<dc:rights>\n <rdf:Bag>\n  <rdf:li>\n Ada \n</rdf:li>\n </rdf:Bag>\n</dc:rights>", item("Ada")),
        ("<dc:rights>Ada</dc:rights>", item("Ada")),
        (
            "<dc:rights><rdf:Alt><rdf:li xml:lang='en-GB'>a</rdf:li>"
                + "<rdf:li xml:lang='de'>b</rdf:li></rdf:Alt></dc:rights>",
            item("a", "en-GB") + item("b", "de")
        ),
        (
            "<dc:rights>A &amp; &lt;B&gt; &quot;&apos;&#x26;&#38;</dc:rights>",
            item("A &amp; &lt;B&gt; &quot;'&amp;&amp;")
        ),
        ("<dc:rights><![CDATA[A & <B>]]></dc:rights>", item("A &amp; &lt;B&gt;")),
        ("<dc:rights>A<!-- <x> -->d<?p a?>a&#1;&#13;.</dc:rights>", item("Ada&#13;.")),
        ("<dc:rights><rdf:Alt><rdf:li xml:lang='\"&gt;'>A</rdf:li></rdf:Alt></dc:rights>", item("A")),
        ("<d:rights xmlns:d='\(XMPPacket.dc)'>Ada</d:rights>", item("Ada")),
        ("<rights xmlns='\(XMPPacket.dc)'>Ada</rights>", item("Ada")),
        ("<dc:rights>日本 ©</dc:rights>", item("日本 ©")),
    ]

    @Test(arguments: rights)
    func `Rights are found in every form that a packet may use`(content: String, items: String) {
        #expect(Self.kept(Self.description(content)) == XMPPacket.with(rights: items))
    }

    @Test func `Attributes of a description, and several creators, are found`() {
        let list = "<rdf:li>Ada</rdf:li><rdf:li>Grace</rdf:li>"
        let packet = Self.description(
            "<dc:creator><rdf:Seq>\(list)<rdf:li/><rdf:li> </rdf:li></rdf:Seq></dc:creator>",
            attributes: "dc:rights='2026 &amp; later' dc:title='sea' tiff:Orientation='6'")
        let rights = Self.item("2026 &amp; later")
        #expect(Self.kept(packet) == XMPPacket.with(creators: list, rights: rights))
        // What is written is read in the same way.
        #expect(Self.kept(XMPPacket.with(creators: list, rights: rights)) == Self.kept(packet))
    }

    @Test func `The second packet of a JPEG has names that the first one lacks`() {
        let item = "<rdf:li>Ada</rdf:li>"
        var blocks = ImageMetadataBlocks()
        blocks.xmp = Data(Self.description("<dc:title>sea</dc:title>").utf8)
        blocks.extendedXMP = XMPPacket.with(creators: item)
        #expect(blocks.onlyCopyright().xmp == XMPPacket.with(creators: item))
    }

    @Test(arguments: [
        "<dc:rights/>", "<dc:rights> </dc:rights>", "<dc:rights>&#1;</dc:rights>", "<dc:title>Ada</dc:title>",
        "<e:rights>Ada</e:rights>",
        "<dc:rights xmlns:dc='urn:other'>Ada</dc:rights>", "<rights>Ada</rights>",
        "<a:Ingredients><rdf:Description><dc:rights>Ada</dc:rights></rdf:Description></a:Ingredients>",
        "<dc:rights><rdf:Alt><rdf:li rdf:parseType='Resource'><rdf:value>Ada</rdf:value></rdf:li></rdf:Alt>"
            + "</dc:rights>",
        // Readers that search for the property would turn the image.
        "<dc:rights>tiff:Orientation 6</dc:rights>",
    ])
    func `Other properties, and properties of other resources, are not kept`(content: String) {
        #expect(Self.kept(Self.description(content)) == nil)
    }

    @Test(arguments: [
        "<dc:rights>Ada", "<dc:rights>Ada</dc:right>", "<dc:rights>&nbsp;Ada</dc:rights>",
        "<dc:rights>Ada &</dc:rights>", "<dc:rights>&#x110000;</dc:rights>", "<dc:rights>&#;</dc:rights>",
        "<dc:rights a>Ada</dc:rights>", "<dc:rights a='>Ada</dc:rights>", "<dc:rights>Ada</dc:rights><!-- ",
        "<dc:rights>Ada</dc:rights><![CDATA[ ", "<dc:rights>Ada</dc:rights>< >", "</a></a></a></a></a></a>",
        "<!DOCTYPE x [<!ENTITY e 'e'>]><dc:rights>Ada</dc:rights>",
    ])
    func `A malformed packet has no names`(content: String) {
        #expect(Self.kept(Self.description(content)) == nil)
    }

    @Test func `Every truncated packet, and thousands of corrupt ones, have names or none`() throws {
        let content = "<dc:rights><rdf:Alt><rdf:li xml:lang='de'>&#65;da</rdf:li></rdf:Alt></dc:rights>"
        let packet = Array(Self.description(content, attributes: "dc:creator='&lt;'").utf8)
        #expect(Self.kept(Data(packet)) != nil)
        let last = try #require(packet.lastIndex(of: UInt8(ascii: ">")))
        for count in 0..<last { #expect(Self.kept(Data(packet.prefix(count))) == nil) }
        var random = SeededGenerator(seed: 1)
        for _ in 0..<3_000 {
            var bytes = packet
            for _ in 0..<3 {
                guard let place = bytes.indices.randomElement(using: &random) else { break }
                bytes[place] =
                    Bool.random(using: &random)
                    ? UInt8.random(in: 0...255, using: &random)
                    : "<>/&'\"=:!?".utf8.randomElement(using: &random) ?? 0
            }
            guard let kept = Self.kept(Data(bytes)) else { continue }
            #expect(
                kept.count <= 65_000 && Self.kept(kept) == kept, "\(String(decoding: bytes, as: UTF8.self))")
        }
    }

    @Test func `Depth, attributes, namespaces, texts and blocks have limits`() {
        let name = "<dc:rights>Ada</dc:rights>"
        func around(_ count: Int) -> String {
            Self.description(
                String(repeating: "<a>", count: count) + String(repeating: "</a>", count: count) + name)
        }
        #expect(Self.kept(around(61)) != nil && Self.kept(around(62)) == nil)
        #expect(Self.kept(around(10_000)) == nil)
        let attributes = (0..<5_000).map { "a\($0)=''" }
        #expect(
            Self.kept(Self.description(name, attributes: attributes.prefix(4_000).joined(separator: " ")))
                != nil)
        #expect(Self.kept(Self.description(name, attributes: attributes.joined(separator: " "))) == nil)
        let prefixes = (0..<20).map { "xmlns:p\($0)='\(XMPPacket.dc)'" }.joined(separator: " ")
        #expect(Self.kept(Self.description(name, attributes: prefixes)) == nil)
        // A long text is truncated between two characters.
        let long = String(repeating: "é", count: 3_000)
        let text = Self.item(String(long.prefix(2_048)))
        #expect(Self.kept(Self.description("<dc:rights>\(long)</dc:rights>")) == XMPPacket.with(rights: text))
        // Above the size of a segment, the block is omitted.
        let item = "<rdf:li>\(String(repeating: "a", count: 60))</rdf:li>"
        func creators(_ count: Int) -> Data {
            XMPPacket.with(creators: String(repeating: item, count: count))
        }
        #expect(Self.kept(creators(800)) == creators(800) && Self.kept(creators(900)) == nil)
        #expect(Self.kept(creators(5_000)) == nil)
        let short = "<rdf:li>a</rdf:li>"
        let thousand = String(repeating: short, count: 1_000)
        #expect(
            Self.kept(XMPPacket.with(creators: thousand + short)) == XMPPacket.with(creators: thousand))
    }

    @Test func `Hostile EXIF and IPTC blocks give no names`() {
        for value: UInt32 in [0, 7, 0xFFFF, .max] {
            var blocks = ImageMetadataBlocks()
            blocks.exif = JPEGPieces.tiff([(0x013B, 2, .max, value), (0x8298, 77, .max, value)], next: 8)
            blocks.iptc = Data([0x1C, 2, 80, 0xFF, 0xFF, 0x1C, 2, 116, 0, 9])
            blocks.xmp = Data([0, 0x3C, 0, 0x61])
            #expect(blocks.onlyCopyright() == ImageMetadataBlocks())
        }
        var blocks = ImageMetadataBlocks()
        let byline = Data([0x1C, 2, 80, 0, 100]) + Data(repeating: 0x61, count: 100)
        blocks.iptc = (0..<700).reduce(into: Data()) { data, _ in data += byline }
        #expect(blocks.onlyCopyright().byteCount == 0, "above the size of a segment")
    }
}
