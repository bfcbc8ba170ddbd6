/// Where the nodes of an engine are, and how to connect to them.
public struct RedisConfiguration: Sendable {
    /// The node, or nodes of the cluster from which the others are learnt.
    public var nodes: [NodeAddress]
    /// Whether the nodes are a cluster.
    public var isCluster = false
    /// Whether connections use TLS 1.2 or later. The certificate and its host name are always verified.
    public var usesTLS = false
    /// A PEM file with the certificates of a private authority; nil for the system's trust anchors.
    public var trustAnchors: String?
    /// The ACL user; nil for `default`.
    public var user: String?
    /// The password of the user; nil to connect without authentication.
    public var password: RedisPassword?
    /// How long connecting may take, and again as long TLS and authentication together.
    public var connectTimeout = Duration.milliseconds(500)
    /// How long a node may send nothing while commands wait. An unfinished reply may stay for twice as long
    /// without another 64 KiB, and takes at most 10 s.
    public var responseTimeout = Duration.milliseconds(200)
    /// The most connections to one node. A second one is made when 32 commands wait on the first.
    public var connectionsPerNode = 2
    /// The most commands that wait on one connection, and the bytes of those that are not sent yet. Further
    /// ones fail.
    public var pendingLimits = (commands: 256, bytes: 32 << 20)
    /// The longest string of a reply in bytes. Longer ones are skipped.
    public var maximumReplyBytes = 8 << 20 + 1 << 16

    /// Makes a configuration. `nodes` must not be empty.
    public init(nodes: [NodeAddress]) { self.nodes = nodes }
}

/// Why a URL is not a configuration.
public enum RedisConfigurationError: Error, Sendable, Hashable {
    /// The scheme is neither `redis` nor `rediss`.
    case scheme
    /// A host or port is missing or malformed, or there are several without `cluster=true`.
    case address
    /// A password in a URL appears in logs and process lists. Use `password-file` or the environment.
    case passwordInURL
    /// Only database 0 is supported, as in a cluster.
    case database
    /// There is no option of this name.
    case unknownOption(String)
    /// The value of this option is malformed or out of range.
    case invalidOption(String)
    /// The file at this path cannot be read as text.
    case unreadablePasswordFile(String)
    /// A user needs a password.
    case missingPassword
}
