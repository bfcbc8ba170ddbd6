import Foundation
import Glibc
import Synchronization

/// Writes whole lines to standard output and standard error, redacted and escaped, from any thread.
///
/// The progress bar is on standard error; it is redrawn below every line, and at most ten times per second.
final class Console: Sendable {
    private struct State {
        var bar: ProgressBar?
        var drawn: ContinuousClock.Instant?
    }

    private let state: Mutex<State>

    /// Shows a bar for `sources` images if standard error is a terminal and `quiet` is false.
    init(sources: Int, quiet: Bool) {
        let bar = quiet || isatty(STDERR_FILENO) == 0 ? nil : ProgressBar(total: sources)
        state = Mutex(State(bar: bar))
    }

    /// Prints lines without lines of other sources between them; line breaks in a line are escaped.
    func print(_ lines: [String]) {
        write(lines.map(\.redacted.escaped).joined(separator: "\n")) { StandardOutput.write(Data($0.utf8)) }
    }

    func print(_ line: String) { print([line]) }

    func print(_ object: JSONLine) {
        write(object.description) { StandardOutput.write(Data($0.utf8)) }
    }

    func printError(_ line: String) {
        write(line.redacted.escaped, StandardError.write)
    }

    func update(_ source: Int, received: Int64, expected: Int64) {
        state.withLock { state in
            state.bar?.update(source, received: received, expected: expected)
            draw(&state, atMostEvery: .milliseconds(100))
        }
    }

    func finish(_ source: Int) {
        state.withLock { state in
            state.bar?.finish(source)
            draw(&state, atMostEvery: .zero)
        }
    }

    func close() {
        state.withLock { state in
            clear(&state)
            state.bar = nil
        }
    }

    private func write(_ line: String, _ send: (String) -> Void) {
        state.withLock { state in
            clear(&state)
            send(line + "\n")
            draw(&state, atMostEvery: .zero)
        }
    }

    private func draw(_ state: inout State, atMostEvery interval: Duration) {
        guard let bar = state.bar else { return }
        let now = ContinuousClock.now
        if let drawn = state.drawn, now - drawn < interval { return }
        state.drawn = now
        StandardError.write("\r\u{1B}[K" + bar.line(columns: Self.columns))
    }

    private func clear(_ state: inout State) {
        guard state.drawn != nil else { return }
        state.drawn = nil
        StandardError.write("\r\u{1B}[K")
    }

    private static var columns: Int {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }
}
