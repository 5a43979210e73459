self.onmessage = (event) => self.postMessage(`${event.data} back`);
