import Foundation
import FoundationNetworking
import Synchronization

/// The credentials that servers have accepted, so that one 401 is enough for all images of a place.
///
/// It lives as long as its downloader and is written nowhere. A credential is sent unasked where the
/// standards expect it: `Basic` at or below the folder of a request it was good for (RFC 7617, 2.2), `Digest`
/// on the whole server or what `domain` names of it (RFC 7616, 3.3). Safe from any thread.
package final class CredentialStore: Sendable {
    static let maxOrigins = 256
    static let maxRealms = 16
    static let maxFolders = 64
    static let maxNonces = 1_024

    private struct Entry {
        var method: AuthenticationMethod
        var credential: LoginCredential
        /// Paths that begin so are in the protection space.
        var folders: [String]
    }

    private struct Place {
        var entries: [Entry] = []
        /// The higher, the later something was remembered.
        var age: UInt64 = 0
    }

    private struct State {
        var places: [Origin: Place] = [:]
        var lastAge: UInt64 = 0
        /// How often each nonce was used, by whichever transfer.
        var uses: [String: UInt32] = [:]
    }

    private let state = Mutex(State())
    /// Spares transfers the way here while there is nothing to find.
    private let isEmpty = Atomic(true)
    private let makeClientNonce: @Sendable () -> String

    /// - Parameter clientNonce: Makes a value that no server can foresee, for each digest.
    package init(clientNonce: @escaping @Sendable () -> String = { CredentialStore.randomNonce() }) {
        makeClientNonce = clientNonce
    }

    /// 192 random bits, in Base64.
    package static func randomNonce() -> String {
        var generator = SystemRandomNumberGenerator()
        return Data((0..<24).map { _ in UInt8.random(in: 0...255, using: &generator) }).base64EncodedString()
    }

    /// The credential to send unasked with a request; nil where none is known to be good.
    func knownAuthorization(for request: URLRequest) -> Authorization? {
        guard !isEmpty.load(ordering: .relaxed), let url = request.url, let origin = Origin(url) else {
            return nil
        }
        let path = url.requestTarget
        let found = state.withLock { state in
            state.places[origin]?.entries
                .flatMap { entry in
                    entry.folders.filter(path.hasPrefix).map { (entry, length: $0.utf8.count) }
                }
                .max { $0.length < $1.length }?.0
        }
        return found.map { Authorization(method: $0.method, credential: $0.credential, isReused: true) }
    }

    /// The credential that was good for a realm, and the method it was good by.
    func authorization(for realm: String, at origin: Origin) -> Authorization? {
        state.withLock { $0.places[origin]?.entries.first { $0.method.realm == realm } }
            .map { Authorization(method: $0.method, credential: $0.credential, isReused: true) }
    }

    /// The value of `Authorization`; counts a use of its nonce.
    func fieldValue(of authorization: Authorization, for request: URLRequest) -> String {
        var count: UInt32 = 1
        if let nonce = authorization.method.nonce {
            count = state.withLock { state in
                // Dropped counts may begin anew; the server then says that the nonce is stale.
                if state.uses.count >= Self.maxNonces, state.uses[nonce] == nil { state.uses = [:] }
                state.uses[nonce, default: 0] &+= 1
                return state.uses[nonce] ?? 1
            }
        }
        return authorization.method.fieldValue(
            for: authorization.credential, request: request, count: count, clientNonce: makeClientNonce)
    }

    /// Keeps what the server of `url` has accepted.
    func remember(_ authorization: Authorization, for url: URL) {
        guard let origin = Origin(url) else { return }
        let folders = Self.folders(of: authorization.method, for: url)
        state.withLock { state in
            var entries = state.places[origin]?.entries ?? []
            let realm = authorization.method.realm
            var entry = Entry(
                method: authorization.method, credential: authorization.credential, folders: folders)
            if let index = entries.firstIndex(where: { $0.method.realm == realm }) {
                let old = entries.remove(at: index)
                if !authorization.method.isDigest, !old.method.isDigest {
                    entry.folders =
                        old.folders.filter { !folders.contains($0) }.suffix(Self.maxFolders - 1) + folders
                }
            }
            entries.append(entry)
            if state.places[origin] == nil, state.places.count >= Self.maxOrigins,
                let oldest = state.places.min(by: { $0.value.age < $1.value.age })?.key
            {
                state.places[oldest] = nil
            }
            state.lastAge += 1
            state.places[origin] = Place(entries: entries.suffix(Self.maxRealms), age: state.lastAge)
        }
        isEmpty.store(false, ordering: .relaxed)
    }

    /// Drops a credential that the server refuses, unless another has taken its place.
    func forget(_ authorization: Authorization, at origin: Origin) {
        state.withLock { state in
            state.places[origin]?.entries.removeAll { entry in
                entry.method.realm == authorization.method.realm
                    && entry.credential == authorization.credential
            }
        }
    }

    private static func folders(of method: AuthenticationMethod, for url: URL) -> [String] {
        guard case .digest(let challenge) = method else {
            let path = url.requestTarget.prefix { $0 != "?" }
            return [String(path[...(path.lastIndex(of: "/") ?? path.startIndex)])]
        }
        let paths = challenge.domain.prefix(maxFolders).compactMap { text -> String? in
            guard let target = URL(string: text, relativeTo: url)?.absoluteURL, Origin(target) == Origin(url)
            else { return nil }
            return target.requestTarget
        }
        // A domain that names other servers only says nothing about this one.
        return paths.isEmpty ? ["/"] : paths
    }
}
