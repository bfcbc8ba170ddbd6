import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

@testable import KingfisherService

/// Objects of a server that verifies signatures; `Tests/Environment/check-s3` describes it in a file.
@Suite(.enabled(if: LiveS3.path != nil, "Tests/Environment/check-s3 runs these")) struct S3LiveTests {
    private let live: LiveS3

    init() throws { live = try LiveS3() }

    private func bytes(
        _ key: String, versionID: String? = nil, bucket: String = "photos", with source: S3Source
    ) async throws -> Data {
        let object = try source.object(bucket: bucket, key: key, versionID: versionID)
        return try await source.downloader.downloadImage(with: object.downloadURL).originalData
    }

    private func failure(_ key: String, bucket: String = "photos", with source: S3Source) async
        -> ServiceError?
    {
        do {
            _ = try await bytes(key, bucket: bucket, with: source)
            return nil
        } catch {
            return ServiceFailure(error, at: .s3(bucket: bucket, key: key, versionID: nil)).error
        }
    }

    @Test(arguments: [true, false])
    func `Each key and version gives its bytes, with keys of a user and of a session`(
        isSession: Bool
    ) async throws {
        let source = try live.source(isSession ? live.session : live.user)
        #expect(live.objects.count == 13)
        for object in live.objects {
            let expected = try Fixtures.data(named: "Photos/\(object.file)")
            #expect(
                try await bytes(object.key, versionID: object.versionID, with: source) == expected,
                "\(object.key)")
        }
    }

    @Test func `A result is made of an object, and revalidated by its ETag`() async throws {
        let cache = try ImageCache(name: "live", cacheDirectoryURL: TestFolders.unused())
        let manager = KingfisherManager(downloader: ImageDownloader(name: "unused"), cache: cache)
        var resources = ServiceLoad.Resources()
        resources.buckets = try live.source(live.user)
        let request = try ServiceRequest(
            steps: [.init("fit:32x32")], source: .s3(bucket: "photos", key: "a.jpg", versionID: nil))
        let load = try ServiceLoad(
            request, accept: AcceptHeader([]), FormatNegotiation(registered: [.PNG]), resources)
        let options = load.options + [.httpCaching, .waitForCache]
        let first = try await manager.retrieveData(with: load.source, options: options)
        let second = try await manager.retrieveData(with: load.source, options: options)
        #expect(first.cacheType == .none && second.cacheType != .none && first.data == second.data)
    }

    @Test func `Wrong keys, missing objects and missing rights are told apart`() async throws {
        let user = live.user
        let rows: [(LiveS3.Keys, key: String, bucket: String, ServiceError)] = [
            (user, "none.jpg", "photos", ServiceError(404, "There is no such image at the bucket.")),
            (
                user, "private/a.jpg", "photos",
                ServiceError(
                    502,
                    "S3 denied access, as it also does for missing objects without the right to list them."
                )
            ),
            (
                .init(accessKey: user.accessKey, secretKey: "wrong"), "a.jpg", "photos",
                ServiceError(502, "S3 refused the signature: the secret key is wrong.")
            ),
            (
                .init(accessKey: "UNKNOWN", secretKey: user.secretKey), "a.jpg", "photos",
                ServiceError(502, "S3 does not know the access key.")
            ),
            (
                .init(
                    accessKey: live.session.accessKey, secretKey: live.session.secretKey, token: "wrong"),
                "a.jpg", "photos", ServiceError(502, "S3 refused the session token.")
            ),
        ]
        for (keys, key, bucket, expected) in rows {
            #expect(try await failure(key, bucket: bucket, with: live.source(keys)) == expected)
        }
    }
}

/// The description of the server.
private struct LiveS3: Decodable {
    struct Keys: Decodable {
        let accessKey: String
        let secretKey: String
        var token: String?
    }

    struct Object: Decodable {
        let key: String
        let versionID: String?
        let file: String
    }

    static let path = ProcessInfo.processInfo.environment["KINGFISHER_S3"]

    let endpoint: String
    let region: String
    let objects: [Object]
    let user: Keys
    let session: Keys

    init() throws {
        let file = URL(filePath: Self.path ?? "")
        self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: file))
    }

    func source(_ keys: Keys) throws -> S3Source {
        let credentials = S3Credentials(
            accessKey: keys.accessKey, secretKey: keys.secretKey, sessionToken: keys.token)
        return try S3Source(
            #require(S3Endpoint(region: region, url: endpoint)), #require(credentials),
            allowing: [#require(IPNetwork("127.0.0.0/8"))])
    }
}
