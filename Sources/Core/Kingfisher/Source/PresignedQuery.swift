/// What a service adds to the query of a presigned request.
struct PresignedQuery: Sendable {
    /// A query is signed by this service if it has all names of one of these sets.
    private let marks: [Set<[UInt8]>]
    private let fields: Set<[UInt8]>

    private init(marks: [[String]], fields: [String]) {
        self.marks = marks.map { Set($0.map { Array($0.utf8) }) }
        self.fields = Set(fields.map { Array($0.utf8) })
    }

    /// The names to remove, if a query with these names is presigned; else none. A query may be signed by
    /// several services, such as CloudFront before S3.
    static func fields(in names: Set<[UInt8]>) -> Set<[UInt8]> {
        all.reduce(into: []) { fields, service in
            if service.marks.contains(where: names.isSuperset(of:)) { fields.formUnion(service.fields) }
        }
    }

    // Fields that choose the object or its header fields, such as `versionId` and `rscd`, are not listed.
    private static let all = [s3, s3Version2, cloudStorage, cloudStorageVersion2, azure, cloudFront]

    private static let s3 = PresignedQuery(
        marks: [["X-Amz-Signature"]],
        fields: [
            "X-Amz-Algorithm", "X-Amz-Content-Sha256", "X-Amz-Credential", "X-Amz-Date", "X-Amz-Expires",
            "X-Amz-Region-Set", "X-Amz-S3session-Token", "X-Amz-Security-Token", "X-Amz-Signature",
            "X-Amz-SignedHeaders",
        ])

    private static let s3Version2 = PresignedQuery(
        marks: [["AWSAccessKeyId", "Signature", "Expires"]],
        fields: ["AWSAccessKeyId", "Signature", "Expires", "x-amz-security-token"])

    private static let cloudStorage = PresignedQuery(
        marks: [["X-Goog-Signature"]],
        fields: [
            "X-Goog-Algorithm", "X-Goog-Credential", "X-Goog-Date", "X-Goog-Expires", "X-Goog-Signature",
            "X-Goog-SignedHeaders",
        ])

    private static let cloudStorageVersion2 = PresignedQuery(
        marks: [["GoogleAccessId", "Signature", "Expires"]],
        fields: ["GoogleAccessId", "Signature", "Expires"])

    /// Service, account and user delegation SAS. A stored access policy (`si`) may replace `se`.
    private static let azure = PresignedQuery(
        marks: [["sig", "sv"], ["sig", "se"]],
        fields: [
            "sv", "ss", "srt", "sr", "si", "sp", "st", "se", "sip", "spr", "sdd", "ses", "saoid", "suoid",
            "scid", "skoid", "sktid", "skt", "ske", "sks", "skv", "skdutid", "sduoid", "sig",
        ])

    private static let cloudFront = PresignedQuery(
        marks: [["Key-Pair-Id", "Signature"]],
        fields: ["Expires", "Signature", "Key-Pair-Id", "Policy", "Hash-Algorithm"])
}
