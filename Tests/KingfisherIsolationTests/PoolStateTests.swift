import KingfisherImage
import Testing

@testable import KingfisherIsolation

/// Which process works for whom.
@Suite("Isolation: pool decisions")
struct PoolStateTests {
    private let start = ContinuousClock.now
    private let file = FileIdentity(address: 1, count: 10)
    private let other = FileIdentity(address: 2, count: 10)

    private func state(workers: Int = 2, files: Int = 1_000) -> PoolState {
        PoolState(maximumWorkers: workers, maximumFiles: files, idleTime: .seconds(30))
    }

    @Test("Processes are started up to the maximum; further callers wait in order")
    func starting() {
        var state = state()
        guard case .start(let first) = state.acquire(file), case .start(let second) = state.acquire(file),
            case .wait(let one) = state.acquire(file), case .wait(let two) = state.acquire(file)
        else {
            Issue.record("other grants")
            return
        }
        #expect(first != second && one != two)
        let release = state.release(second, holding: file, isUsable: true, at: start)
        #expect(release == .init(ends: false, next: (one, .use(second))))
        let failed = state.release(first, holding: nil, isUsable: false, at: start)
        guard case .start(let third)? = failed.next?.grant else {
            Issue.record("no new process")
            return
        }
        #expect(failed.ends && failed.next?.ticket == two && third != first && state.workerCount == 2)
        #expect(state.waiterCount == 0)
    }

    @Test("The process that has the file is preferred, then the latest")
    func preference() {
        var state = state(workers: 3)
        let ids = (0..<3).map { _ in if case .start(let id) = state.acquire(nil) { id } else { -1 } }
        for (index, id) in ids.enumerated() {
            let held = index == 0 ? file : other
            _ = state.release(id, holding: held, isUsable: true, at: start + .seconds(index))
        }
        #expect(state.acquire(file) == .use(ids[0]))
        #expect(state.acquire(file) == .use(ids[2]))
        #expect(state.acquire(nil) == .use(ids[1]))
    }

    @Test("A process with an open file is used for another one last, and has its file longer")
    func reservation() {
        var state = state(workers: 2)
        state.open(file)
        state.open(file)
        guard case .start(let first) = state.acquire(file) else { return }
        _ = state.release(first, holding: file, isUsable: true, at: start)
        #expect(state.tick(at: start + .seconds(2), forgettingAfter: .seconds(1)).forgetful == [])
        guard case .start(let second) = state.acquire(other) else {
            Issue.record("no second process")
            return
        }
        // No other process can be used or started, so the reserved one is used instead of waiting.
        #expect(state.acquire(other) == .use(first))
        _ = state.release(first, holding: file, isUsable: true, at: start + .seconds(1))
        _ = state.release(second, holding: other, isUsable: true, at: start)
        #expect(state.acquire(nil) == .use(second) && state.acquire(file) == .use(first))
        _ = state.release(second, holding: other, isUsable: true, at: start)
        _ = state.release(first, holding: file, isUsable: true, at: start + .seconds(1))
        state.close(file)
        #expect(state.acquire(nil) == .use(second))
        _ = state.release(second, holding: other, isUsable: true, at: start)
        state.close(file)
        #expect(state.acquire(nil) == .use(first))
    }

    @Test("A process ends after its files, however often it used one, and idle ones after the idle time")
    func ends() {
        var state = state(files: 2)
        guard case .start(let id) = state.acquire(file) else { return }
        for _ in 0..<3 {
            #expect(
                state.release(id, holding: file, isUsable: true, at: start) == .init(ends: false, next: nil))
            #expect(state.acquire(file) == .use(id))
        }
        #expect(state.release(id, holding: other, isUsable: true, at: start) == .init(ends: true, next: nil))
        guard case .start(let next) = state.acquire(file) else {
            Issue.record("not replaced")
            return
        }
        _ = state.release(next, holding: file, isUsable: true, at: start)
        let early = state.tick(at: start + .seconds(2), forgettingAfter: .seconds(1))
        #expect(early.ended == [] && early.forgetful == [next])
        let again = state.tick(at: start + .seconds(3), forgettingAfter: .seconds(1))
        #expect(again.ended == [] && again.forgetful == [])
        let late = state.tick(at: start + .seconds(30), forgettingAfter: .seconds(1))
        #expect(late.ended == [next] && state.workerCount == 0)
    }

    @Test("A process that works is neither ended nor forgotten")
    func busy() {
        var state = state()
        guard case .start = state.acquire(file) else { return }
        let tick = state.tick(at: start + .seconds(100), forgettingAfter: .seconds(1))
        #expect(tick.ended == [] && tick.forgetful == [])
    }
}

/// Files that are refused.
@Suite("Isolation: refused files")
struct RefusedFilesTests {
    private let start = ContinuousClock.now

    @Test("A file is refused with its failure until the time is over")
    func time() {
        var files = RefusedFiles(capacity: 2, duration: .seconds(60))
        files.insert("a", count: 5, failure: .timedOut, at: start)
        #expect(files.mayRefuse(count: 5) && !files.mayRefuse(count: 6))
        #expect(files.failure(of: "a", at: start + .seconds(59)) == .timedOut)
        #expect(files.failure(of: "b", at: start) == nil)
        #expect(files.failure(of: "a", at: start + .seconds(60)) == nil)
        #expect(files.count == 0 && !files.mayRefuse(count: 5))
    }

    @Test("Above the capacity the oldest is forgotten; a repeated failure counts once")
    func capacity() {
        var files = RefusedFiles(capacity: 2, duration: .seconds(60))
        files.insert("a", count: 5, failure: .timedOut, at: start)
        files.insert("b", count: 5, failure: .forbiddenCall, at: start)
        files.insert("a", count: 5, failure: .memoryLimit, at: start)
        #expect(files.count == 2 && files.failure(of: "a", at: start) == .memoryLimit)
        files.insert("c", count: 6, failure: .timedOut, at: start)
        #expect(files.failure(of: "b", at: start) == nil && files.count == 2)
        #expect(files.mayRefuse(count: 5) && files.mayRefuse(count: 6))
    }
}

/// Where the executable is found.
@Suite("Isolation: executable")
struct DecoderExecutableTests {
    private func path(setting: String? = nil, variable: String? = nil, present: Set<String>) -> String? {
        try? DecoderExecutable(
            setting: setting, variable: variable, folder: "/opt/bin", isExecutable: present.contains
        ).path()
    }

    @Test("The setting counts before the variable, then the program's folder, then libexec")
    func order() {
        let (beside, libexec) = ("/opt/bin/kingfisher-decoder", "/opt/bin/../libexec/kingfisher-decoder")
        let all: Set = ["/a", "/b", beside, libexec]
        #expect(path(setting: "/a", variable: "/b", present: all) == "/a")
        #expect(path(variable: "/b", present: all) == "/b")
        #expect(path(variable: "", present: all) == beside)
        #expect(path(present: [libexec]) == libexec)
    }

    @Test(
        "A path that is set and missing is an error that names the setting; otherwise it says how to install")
    func missing() {
        #expect(path(setting: "/x", present: ["/opt/bin/kingfisher-decoder"]) == nil)
        #expect(path(variable: "/x", present: ["/opt/bin/kingfisher-decoder"]) == nil)
        let error = failure { () throws(ImageCodecError) in
            _ = try DecoderPool.of("/nowhere/decoder").report()
        }
        guard case .decoderFailed(.unavailable(let reason)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.contains("DecoderSettings.executable") && reason.contains("/nowhere/decoder"))
        let executable = DecoderExecutable(setting: nil, variable: nil, folder: "/opt/bin") { _ in false }
        do {
            _ = try executable.path()
        } catch {
            #expect(error.reason.contains("swift build --product kingfisher-decoder"))
            #expect(error.reason.contains("/opt/bin") && error.reason.contains("KINGFISHER_DECODER"))
        }
    }

    @Test("A program that is no decoder is an error, and leaves no process")
    func wrong() {
        for program in ["/bin/true", "/bin/cat", "/etc/passwd"] {
            let pool = DecoderPool.of(program)
            let error = failure { () throws(ImageCodecError) in _ = try pool.report() }
            guard case .decoderFailed(.unavailable) = error else {
                Issue.record("\(program): \(String(describing: error))")
                continue
            }
            #expect(pool.processIdentifiers.isEmpty)
        }
    }
}
