import Foundation
import FoundationNetworking
import Synchronization

/// The credentials that servers have accepted, so that one 401 suffices for all images of a protection space.
///
/// The store lives as long as its downloader, or as one fetch, and is never written to disk. A credential is
/// sent preemptively where the standards allow it: `Basic` at or below the folder of an accepted request (RFC
/// 7617, 2.2), `Digest` on the whole server or the URIs in `domain` (RFC 7616, 3.3). Safe to use from any
/// thread.
package final class CredentialStore: Sendable {
    static let maxOrigins = 256
    static let maxRealms = 16
    static let maxFolders = 64
    static let maxNonces = 1_024

    private struct Entry {
        var method: AuthenticationMethod
        var credential: LoginCredential
        var pathPrefixes: [String]
    }

    private struct OriginEntries {
        var entries: [Entry] = []
        var sequence: UInt64 = 0
    }

    private struct State {
        var origins: [Origin: OriginEntries] = [:]
        var lastSequence: UInt64 = 0
        var nonceUses: [String: UInt32] = [:]
    }

    private let state = Mutex(State())
    /// Lets transfers skip the lock while the store is empty.
    private let isEmpty = Atomic(true)
    private let makeClientNonce: @Sendable () -> String

    package init(clientNonce: @escaping @Sendable () -> String = { CredentialStore.randomNonce() }) {
        makeClientNonce = clientNonce
    }

    package static func randomNonce() -> String {
        var generator = SystemRandomNumberGenerator()
        return Data((0..<24).map { _ in UInt8.random(in: 0...255, using: &generator) }).base64EncodedString()
    }

    func knownAuthorization(for request: URLRequest) -> Authorization? {
        guard !isEmpty.load(ordering: .relaxed), let url = request.url, let origin = Origin(url),
            !Self.mayLeaveFolders(url)
        else { return nil }
        let path = url.requestTarget
        let found = state.withLock { state in
            state.origins[origin]?.entries
                .flatMap { entry in
                    entry.pathPrefixes.filter(path.hasPrefix).map { (entry, length: $0.utf8.count) }
                }
                .max { $0.length < $1.length }?.0
        }
        return found.map { Authorization(method: $0.method, credential: $0.credential, isReused: true) }
    }

    func authorization(for realm: String, at origin: Origin) -> Authorization? {
        state.withLock { $0.origins[origin]?.entries.first { $0.method.realm == realm } }
            .map { Authorization(method: $0.method, credential: $0.credential, isReused: true) }
    }

    /// The value of the `Authorization` field. Counts a use of the nonce.
    func fieldValue(of authorization: Authorization, for request: URLRequest) -> String {
        var count: UInt32 = 1
        if let nonce = authorization.method.nonce {
            count = state.withLock { state in
                // Counts may restart from 1 after this; the server then reports that the nonce is stale.
                if state.nonceUses.count >= Self.maxNonces, state.nonceUses[nonce] == nil {
                    state.nonceUses = [:]
                }
                state.nonceUses[nonce, default: 0] &+= 1
                return state.nonceUses[nonce] ?? 1
            }
        }
        return authorization.method.fieldValue(
            for: authorization.credential, request: request, count: count, clientNonce: makeClientNonce)
    }

    func remember(_ authorization: Authorization, for url: URL) {
        guard let origin = Origin(url) else { return }
        let folders = Self.pathPrefixes(of: authorization.method, for: url)
        state.withLock { state in
            var entries = state.origins[origin]?.entries ?? []
            let realm = authorization.method.realm
            var entry = Entry(
                method: authorization.method, credential: authorization.credential, pathPrefixes: folders)
            if let index = entries.firstIndex(where: { $0.method.realm == realm }) {
                let old = entries.remove(at: index)
                if !authorization.method.isDigest, !old.method.isDigest {
                    entry.pathPrefixes =
                        old.pathPrefixes.filter { !folders.contains($0) }.suffix(Self.maxFolders - 1)
                        + folders
                }
            }
            entries.append(entry)
            if state.origins[origin] == nil, state.origins.count >= Self.maxOrigins,
                let oldest = state.origins.min(by: { $0.value.sequence < $1.value.sequence })?.key
            {
                state.origins[oldest] = nil
            }
            state.lastSequence += 1
            state.origins[origin] = OriginEntries(
                entries: entries.suffix(Self.maxRealms), sequence: state.lastSequence)
        }
        isEmpty.store(false, ordering: .relaxed)
    }

    func forget(_ authorization: Authorization, at origin: Origin) {
        state.withLock { state in
            state.origins[origin]?.entries.removeAll { entry in
                entry.method.realm == authorization.method.realm
                    && entry.credential == authorization.credential
            }
        }
    }

    /// Whether the path is outside of its first folders for a server that decodes it before it removes dot
    /// segments, for example `/folder/%2e%2e/x` or `/folder/..%2Fx`.
    private static func mayLeaveFolders(_ url: URL) -> Bool {
        let path = url.path(percentEncoded: true).removingPercentEncoding
        return path?.split { $0 == "/" || $0 == "\\" }.contains("..") ?? true
    }

    private static func pathPrefixes(of method: AuthenticationMethod, for url: URL) -> [String] {
        guard case .digest(let challenge) = method else {
            let path = url.requestTarget.prefix { $0 != "?" }
            return [String(path[...(path.lastIndex(of: "/") ?? path.startIndex)])]
        }
        let paths = challenge.domain.prefix(maxFolders).compactMap { text -> String? in
            guard let target = URL(webText: text, relativeTo: url)?.absoluteURL, Origin(target) == Origin(url)
            else { return nil }
            return target.requestTarget
        }
        // A domain that lists only other servers does not restrict this one.
        return paths.isEmpty ? ["/"] : paths
    }
}
