import Foundation
import Glibc
import Synchronization

/// The tool's standard output and standard error: whole lines, one at a time, from any thread.
///
/// The progress bar is on standard error, drawn anew below every line, at most ten times a second.
final class Console: Sendable {
    private struct State {
        var bar: ProgressBar?
        var drawn: ContinuousClock.Instant?
    }

    private let state: Mutex<State>

    /// Shows a bar for `sources` pictures when standard error is a terminal and `quiet` is false.
    init(sources: Int, quiet: Bool) {
        let bar = quiet || isatty(STDERR_FILENO) == 0 ? nil : ProgressBar(total: sources)
        state = Mutex(State(bar: bar))
    }

    func print(_ line: String) {
        state.withLock { write(line, to: STDOUT_FILENO, &$0) }
    }

    func printError(_ line: String) {
        state.withLock { write(line, to: STDERR_FILENO, &$0) }
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

    /// Takes the bar off the screen.
    func close() {
        state.withLock { state in
            clear(&state)
            state.bar = nil
        }
    }

    private func write(_ line: String, to descriptor: Int32, _ state: inout State) {
        clear(&state)
        Self.send(line + "\n", to: descriptor)
        draw(&state, atMostEvery: .zero)
    }

    private func draw(_ state: inout State, atMostEvery interval: Duration) {
        guard let bar = state.bar else { return }
        let now = ContinuousClock.now
        if let drawn = state.drawn, now - drawn < interval { return }
        state.drawn = now
        Self.send("\r\u{1B}[K" + bar.line(columns: Self.columns), to: STDERR_FILENO)
    }

    private func clear(_ state: inout State) {
        guard state.drawn != nil else { return }
        state.drawn = nil
        Self.send("\r\u{1B}[K", to: STDERR_FILENO)
    }

    private static var columns: Int {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// A line that cannot be written has nobody to be told about.
    private static func send(_ text: String, to descriptor: Int32) {
        try? OutputFile.write(Data(text.utf8), to: descriptor)
    }
}
