/// The keys with which requests to S3 are signed. Descriptions do not contain the secrets.
public struct S3Credentials: Hashable, Sendable {
    /// The public part of the key pair.
    public let accessKey: String
    let secretKey: String
    let sessionToken: String?

    /// Nil if a text is empty or not printable ASCII without spaces, which header fields need.
    public init?(accessKey: String, secretKey: String, sessionToken: String? = nil) {
        let texts = [accessKey, secretKey] + (sessionToken.map { [$0] } ?? [])
        let isUsable: (String) -> Bool = { text in
            !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        }
        guard texts.allSatisfy(isUsable) else { return nil }
        self.accessKey = accessKey
        self.secretKey = secretKey
        self.sessionToken = sessionToken
    }

    /// The credentials in the environment variables `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and
    /// `AWS_SESSION_TOKEN`; nil without a key.
    public init?(environment: [String: String]) {
        guard let accessKey = environment["AWS_ACCESS_KEY_ID"],
            let secretKey = environment["AWS_SECRET_ACCESS_KEY"]
        else { return nil }
        let token = environment["AWS_SESSION_TOKEN"].flatMap { $0.isEmpty ? nil : $0 }
        self.init(accessKey: accessKey, secretKey: secretKey, sessionToken: token)
    }

    /// The credentials in a file with lines `name = value`, comments after `#` or `;`, and sections in
    /// brackets, as the AWS tools have it: the values before the first section, or of the section `profile`.
    /// Nil without a key.
    public init?(file: String, profile: String = "default") {
        var values: [String: String] = [:]
        var isRead = true
        for line in file.split(whereSeparator: \.isNewline) {
            let line = line.trimmed
            if line.hasPrefix("#") || line.hasPrefix(";") { continue }
            if line.hasPrefix("[") {
                isRead = line == "[\(profile)]"
                continue
            }
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if isRead, parts.count == 2 {
                values[parts[0].trimmed.uppercased()] = parts[1].trimmed
            }
        }
        self.init(environment: values)
    }
}

extension Substring {
    fileprivate var trimmed: String {
        String(decoding: HeaderText.trim(ArraySlice(utf8)), as: UTF8.self)
    }
}

extension S3Credentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "S3Credentials(\(accessKey.prefix(4))…)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
