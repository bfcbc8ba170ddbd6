import Foundation
import KingfisherDigests
import Testing
import TestHelpers

@testable import KingfisherStorage

struct FileNamingTests {
    private let plain = FileNaming(usesHashedFileName: false)

    private func name(_ naming: FileNaming, _ key: String, _ forced: String? = nil) -> String {
        naming.name(forKey: key, forcedExtension: forced).rawValue
    }

    @Test("Digests of FIPS 180-2's examples and of the empty string", .behaviours("U-1"))
    func digests() {
        #expect(
            SHA256.hexDigest(of: "abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(
            SHA256.hexDigest(of: "") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect(
            SHA256.hexDigest(of: "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")
                == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
    }

    @Test("Names are hashed by default; a forced extension overrides the configured one", .behaviours("C-37"))
    func hashedByDefault() {
        let digest = SHA256.hexDigest(of: "key")
        #expect(name(FileNaming(), "key") == digest)
        #expect(name(FileNaming(), "key", "jpg") == digest + ".jpg")
        #expect(name(FileNaming(pathExtension: "png"), "key") == digest + ".png")
        #expect(name(FileNaming(pathExtension: "png"), "key", "jpg") == digest + ".jpg")
        #expect(name(FileNaming(pathExtension: ""), "key") == digest)
    }

    @Test(
        "The automatic extension applies only to hashed names, after the other extensions",
        .behaviours("C-37", "C-38"))
    func automaticExtension() {
        let naming = FileNaming(autoExtAfterHashedFileName: true)
        #expect(name(naming, "a.jpg") == SHA256.hexDigest(of: "a.jpg") + ".jpg")
        #expect(name(naming, "a") == SHA256.hexDigest(of: "a"))
        #expect(name(naming, "a.jpg", "gif") == SHA256.hexDigest(of: "a.jpg") + ".gif")
        let unhashed = FileNaming(usesHashedFileName: false, autoExtAfterHashedFileName: true)
        #expect(name(unhashed, "a.jpg") == "a.jpg")
    }

    @Test(
        "The extension of a key is its last alphanumeric suffix", .behaviours("C-38"),
        arguments: [
            ("test.jpeg", "jpeg"), ("test.jpeg@com.x.Proc", "jpeg"), ("a.b.PnG", "PnG"),
            ("https://x.y/z.webp", "webp"),
            ("image.jpg?v=2", nil), ("https://h.net/57373197@300-1.jpg", nil), ("nodot", nil), ("ends.", nil),
            ("", nil),
            ("@a.jpg", nil), ("a.12345678901234567890", "12345678901234567890"),
            ("a.123456789012345678901", nil),
            ("a.j_g", nil), ("https://host.net/path", nil),
        ] as [(String, String?)])
    func extensionOfKey(key: String, expected: String?) {
        #expect(FileNaming.pathExtension(ofKey: key) == expected)
    }

    @Test("Without hashing, the key is the name", .behaviours("C-37"))
    func unhashedIsVerbatim() {
        #expect(name(plain, "a b?c=d&é") == "a b?c=d&é")
        #expect(name(plain, "a%20b") == "a%20b")
        #expect(name(plain, "key", "jpg") == "key.jpg")
        #expect(name(plain, "a..b") == "a..b")
    }

    @Test(arguments: [
        ("../etc/passwd", "%2E.%2Fetc%2Fpasswd"), ("/etc/passwd", "%2Fetc%2Fpasswd"),
        (".hidden", "%2Ehidden"),
        (".", "%2E"), ("..", "%2E."), ("a/b%20c", "a%2Fb%2520c"), ("a\0b", "a%00b"),
    ])
    func unsafeCharactersAreEncoded(key: String, expected: String) {
        #expect(name(plain, key) == expected)
    }

    @Test func unsafeExtensionIsEncoded() {
        #expect(!name(FileNaming(), "key", "jpg/../../x").contains("/"))
        #expect(name(plain, "", "jpg") == "%2Ejpg")
        #expect(name(plain, "") == SHA256.hexDigest(of: ""))
    }

    @Test func tooLongNameIsHashed() {
        let fits = String(repeating: "a", count: 255)
        #expect(name(plain, fits) == fits)
        #expect(name(plain, fits + "a") == SHA256.hexDigest(of: fits + "a"))
        #expect(name(plain, fits, "jpg") == SHA256.hexDigest(of: fits) + ".jpg")
        let slashes = String(repeating: "/", count: 100)
        #expect(name(plain, slashes) == SHA256.hexDigest(of: slashes))
        let euros = String(repeating: "€", count: 86)
        #expect(name(plain, euros) == SHA256.hexDigest(of: euros))
        #expect(
            name(FileNaming(), "key", fits) == SHA256.hexDigest(of: SHA256.hexDigest(of: "key") + "." + fits))
    }

    /// Every short string of special characters: all names are safe, and no two keys have the same name.
    @Test func differentKeysHaveDifferentNames() {
        let pieces = ["a", "/", "%", ".", "2F", "25", "2E", "00", "\0"]
        var keys = [""]
        for _ in 0..<4 { keys += keys.flatMap { key in pieces.map { key + $0 } } }
        let distinct = Set(keys)
        var names: Set<String> = []
        for key in distinct {
            let name = name(plain, key)
            names.insert(name)
            let isSafe =
                !name.isEmpty && !name.hasPrefix(".") && !name.utf8.contains(0x2F) && !name.utf8.contains(0)
            #expect(isSafe, "\(key.debugDescription) became \(name.debugDescription)")
        }
        #expect(names.count == distinct.count)
    }
}
