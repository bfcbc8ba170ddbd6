import Foundation
import Kingfisher
import KingfisherStorage

/// The stored form of an entry or a failure.
///
/// Little-endian: magic and version `KFS1`, kind, three zero bytes, length of the header; created, soft and
/// hard expiration (milliseconds since 1970); time to build (milliseconds); length and XXH3-64 of the file,
/// or the status of a failure; media type, validators and tags with their generations; XXH3-64 of the header
/// and of the name of the entry; the file. Bytes that differ in any way from those written, or that belong to
/// another entry, are not read as an envelope.
struct TierEnvelope: Hashable, Sendable {
    struct Tag: Hashable, Sendable {
        let name: String
        let generation: Int64
    }

    enum Content: Hashable, Sendable {
        case entry(data: Data, checksum: UInt64)
        /// Without a status, the response was not an image.
        case failure(statusCode: Int?)
    }

    static let magic = Data("KFS1".utf8)
    /// The largest header. Larger validators or tags are not stored.
    static let maximumHeader = 1 << 16

    var content: Content
    var mediaType: String?
    var created: Date
    /// When the entry should be replaced.
    var softExpiration: Date
    /// When the entry must not be used any more.
    var expiration: Date
    /// How long it took to make the entry.
    var buildTime: Duration = .zero
    var validators: Data?
    var tags: [Tag] = []

    /// The bytes to store under a name; nil if the header is too large.
    func encoded(for name: String) -> Data? {
        var header = FieldWriter()
        let (payload, checksum, isFailure) =
            switch content {
            case .entry(let data, let checksum): (data, checksum, false)
            case .failure(let status): (Data(), UInt64(status ?? 0), true)
            }
        for date in [created, softExpiration, expiration] { header.add(date.milliseconds) }
        header.add(UInt32(clamping: buildTime.wholeMilliseconds))
        header.add(UInt64(payload.count))
        header.add(checksum)
        header.add(Data((mediaType ?? "").utf8))
        header.add(validators ?? Data())
        header.add(UInt32(tags.count))
        for tag in tags {
            header.add(Data(tag.name.utf8))
            header.add(tag.generation)
        }
        let length = 12 + header.data.count + 8
        guard length <= Self.maximumHeader else { return nil }
        var whole = FieldWriter(data: Self.magic)
        whole.data.reserveCapacity(length + payload.count)
        whole.data.append(contentsOf: [isFailure ? 1 : 0, 0, 0, 0])
        whole.add(UInt32(length))
        whole.data.append(header.data)
        whole.add(Self.checksum(whole.data, name))
        whole.data.append(payload)
        return whole.data
    }

    init(
        content: Content, mediaType: String? = nil, created: Date, softExpiration: Date, expiration: Date,
        buildTime: Duration = .zero, validators: Data? = nil, tags: [Tag] = []
    ) {
        self.content = content
        self.mediaType = mediaType
        self.created = created
        self.softExpiration = softExpiration
        self.expiration = expiration
        self.buildTime = buildTime
        self.validators = validators
        self.tags = tags
    }

    private static func checksum(_ header: Data, _ name: String) -> UInt64 {
        Checksum.of(header + Data(name.utf8))
    }

    /// Reads the bytes stored under a name; nil if they are not intact.
    init?(_ stored: Data, for name: String) {
        var start = FieldReader(stored)
        guard start.bytes(4) == Self.magic, let kind = start.bytes(4),
            kind.dropFirst().allSatisfy({ $0 == 0 }),
            let isFailure = kind.first, isFailure < 2, let length: UInt32 = start.number(),
            (20...Self.maximumHeader).contains(Int(length)), Int(length) <= stored.count
        else { return nil }
        let checked = stored.prefix(Int(length) - 8)
        var end = FieldReader(stored.dropFirst(Int(length) - 8))
        guard let checksum: UInt64 = end.number(), Self.checksum(checked, name) == checksum else {
            return nil
        }
        var fields = FieldReader(checked.dropFirst(12))
        self.init(&fields, isFailure: isFailure == 1, payload: stored.dropFirst(Int(length)))
    }

    private init?(_ fields: inout FieldReader, isFailure: Bool, payload: Data) {
        guard let created: Int64 = fields.number(), let soft: Int64 = fields.number(),
            let hard: Int64 = fields.number(), let build: UInt32 = fields.number(),
            let count: UInt64 = fields.number(), let sum: UInt64 = fields.number(),
            let mediaType = fields.text(), let validators = fields.field(), let tags = Self.tags(&fields),
            fields.isAtEnd, count == payload.count
        else { return nil }
        if isFailure {
            guard sum < 1000 else { return nil }
            content = .failure(statusCode: sum == 0 ? nil : Int(sum))
        } else {
            // A copy whose indices start at 0; the stored bytes can then be freed.
            let data = Data(payload)
            guard Checksum.of(data) == sum else { return nil }
            content = .entry(data: data, checksum: sum)
        }
        self.mediaType = mediaType.isEmpty ? nil : mediaType
        (self.created, softExpiration, expiration) = (Date(created), Date(soft), Date(hard))
        buildTime = .milliseconds(Int(build))
        self.validators = validators.isEmpty ? nil : Data(validators)
        self.tags = tags
    }

    private static func tags(_ fields: inout FieldReader) -> [Tag]? {
        guard let count: UInt32 = fields.number() else { return nil }
        var tags: [Tag] = []
        // A tag takes at least 12 bytes of the header.
        guard count <= maximumHeader / 12 else { return nil }
        for _ in 0..<count {
            guard let name = fields.text(), let generation: Int64 = fields.number() else { return nil }
            tags.append(Tag(name: name, generation: generation))
        }
        return tags
    }
}

extension Date {
    fileprivate var milliseconds: Int64 {
        let value = (timeIntervalSince1970 * 1000).rounded()
        return value >= 0x1p62 ? .max : value <= -0x1p62 ? .min : Int64(value)
    }

    fileprivate init(_ milliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
    }
}

extension Duration {
    var wholeMilliseconds: Int64 {
        components.seconds.multipliedReportingOverflow(by: 1000).partialValue
            &+ components.attoseconds / 1_000_000_000_000_000
    }

    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
