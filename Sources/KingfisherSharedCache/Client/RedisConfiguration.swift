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
    public var password: RedisPassword?
    /// How long connecting may take, and after it TLS and authentication.
    public var connectTimeout = Duration.milliseconds(500)
    /// How long a node may send nothing while commands wait.
    public var responseTimeout = Duration.milliseconds(200)
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
    case address
    /// A password in a URL appears in logs and process lists. Use `password-file` or the environment.
    case passwordInURL
    /// Only database 0 is supported, as in a cluster.
    case database
    case unknownOption(String)
    case invalidOption(String)
    case unreadablePasswordFile(String)
    /// A user needs a password.
    case missingPassword
}
