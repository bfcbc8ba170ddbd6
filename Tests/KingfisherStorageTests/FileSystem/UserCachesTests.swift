import Glibc
import KingfisherTestSupport
import Testing

@testable import KingfisherStorage

@Suite struct UserCachesTests {
    @Test("The caches of a user are in XDG_CACHE_HOME, HOME, or the home folder of the user database")
    func folder() {
        func folder(_ environment: [String: String]) -> String? {
            UserCaches.folder(in: environment, registeredHome: "/home/registered")
        }
        #expect(folder(["HOME": "/home/jens"]) == "/home/jens/.cache")
        #expect(folder(["HOME": "/home/jens", "XDG_CACHE_HOME": "/var/c"]) == "/var/c")
        #expect(folder(["HOME": "/home/jens", "XDG_CACHE_HOME": "c"]) == "/home/jens/.cache")
        for home in [nil, "", "jens"] {
            let environment = home.map { ["HOME": $0] } ?? [:]
            #expect(folder(environment) == "/home/registered/.cache")
            #expect(UserCaches.folder(in: environment, registeredHome: nil) == nil)
        }
    }

    @Test("Users do not share a folder if HOME is not set")
    func withoutHome() async {
        await #expect(processExitsWith: .success) {
            unsetenv("HOME")
            unsetenv("XDG_CACHE_HOME")
            let home = try #require(getpwuid(geteuid())).pointee.pw_dir.map { String(cString: $0) }
            #expect(UserCaches.folder == home.map { $0 + "/.cache" })
        }
    }
}
