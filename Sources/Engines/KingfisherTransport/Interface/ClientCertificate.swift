public import Foundation

/// A certificate that a client presents to a server, and its private key, in PEM.
///
/// Its descriptions contain neither key nor passphrase.
public struct ClientCertificate: Sendable, Hashable {
    /// The certificate, followed by the certificates of intermediate authorities.
    public var chain: Data
    /// The private key of the first certificate.
    public var privateKey: Data
    /// The passphrase of the key, if it is encrypted.
    public var passphrase: String?

    public init(chain: Data, privateKey: Data, passphrase: String? = nil) {
        self.chain = chain
        self.privateKey = privateKey
        self.passphrase = passphrase
    }

    /// Reads chain and key from files, which may be the same file.
    public init(chainFile: URL, privateKeyFile: URL, passphrase: String? = nil) throws {
        self.init(
            chain: try Data(contentsOf: chainFile), privateKey: try Data(contentsOf: privateKeyFile),
            passphrase: passphrase)
    }
}

extension ClientCertificate: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "ClientCertificate" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["chain": chain]) }
}
